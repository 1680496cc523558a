/**
 * A CSS selector for an element, short and stable: by id, by identifying attributes, else by position.
 *
 * It runs in the page, where its source is sent, so it must be self-contained.
 *
 * @param {Element} element
 * @returns {string | null} null where it is no element of its document
 */
export function selectorOf(element) {
  if (!(element instanceof Element) || !element.isConnected || element.getRootNode() !== document) return null;
  const only = (/** @type {string} */ selector) => document.querySelectorAll(selector).length === 1;
  const names = ["data-testid", "data-test", "name", "aria-label", "placeholder", "alt", "title", "href", "for"];
  /** @param {Element} one */
  const step = (one) => {
    const tag = CSS.escape(one.localName);
    if (one.id && only(`#${CSS.escape(one.id)}`)) return `#${CSS.escape(one.id)}`;
    for (const name of names) {
      const value = one.getAttribute(name);
      const selector = `${tag}[${name}=${JSON.stringify(value)}]`;
      if (value && value.length < 80 && !/[\n\\"]/.test(value) && only(selector)) return selector;
    }
    return null;
  };
  const own = step(element);
  if (own) return own;
  /** @type {string[]} */
  const path = [];
  for (let one = /** @type {Element | null} */ (element); one; one = one.parentElement) {
    const anchor = one === element ? null : step(one);
    if (anchor) return [anchor, ...path].join(" > ");
    const { localName, parentElement } = one;
    const same = [...(parentElement?.children ?? [])].filter((other) => other.localName === localName);
    path.unshift(CSS.escape(localName) + (same.length > 1 ? `:nth-of-type(${same.indexOf(one) + 1})` : ""));
    if (only(path.join(" > "))) return path.join(" > ");
  }
  return path.join(" > ");
}
