// The element that an event belongs to.

/**
 * The innermost target of a person's event; undefined for events dispatched by scripts.
 * @param {Event} event
 */
export function elementOf(event) {
  const [innermost] = event.composedPath();
  return event.isTrusted && innermost instanceof Element ? innermost : undefined;
}
