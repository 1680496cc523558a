// Whose an event is.

/**
 * The innermost element that a person's event went to; undefined for events that scripts make.
 * @param {Event} event
 */
export function elementOf(event) {
  const [innermost] = event.composedPath();
  return event.isTrusted && innermost instanceof Element ? innermost : undefined;
}
