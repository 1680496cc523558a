/**
 * The clipboard, where `navigator.clipboard` is closed too: in DevTools panels.
 */

/**
 * @param {string} text
 * @returns {boolean} whether it was copied
 */
export function copyText(text) {
  let focused = /** @type {HTMLElement | null} */ (document.activeElement);
  while (focused?.shadowRoot?.activeElement) focused = /** @type {HTMLElement} */ (focused.shadowRoot.activeElement);
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("aria-hidden", "true");
  field.setAttribute("readonly", "");
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  return done;
}
