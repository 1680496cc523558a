// For which elements frameworks listen further up, as numbers in the order of the document (see dom/listeners.js).
//
// Listeners themselves the browser knows (kapture/page/introspection.py). What React, jQuery, Svelte and
// Solid listen for at the root of their trees they keep where only scripts in the page's own world see it: this one runs
// there and only reads. The extension lets this very text pass for reading, and no other (extension/worker/gate/page_scripts.js).
//
// Answers `elements;listened for;not listened for themselves`: `120;4,17;2`.

(() => {
  const TYPES = ["click", "dblclick", "mousedown", "pointerdown"];
  const HANDLERS = ["onClick", "onDoubleClick", "onMouseDown", "onPointerDown"];
  const { jQuery } = /** @type {any} */ (globalThis);

  /** @type {Element[]} */
  const elements = [];
  /** @param {Document | ShadowRoot} root */
  function list(root) {
    const inner = [];
    for (const element of root.querySelectorAll("*")) {
      elements.push(element);
      if (element.shadowRoot) inner.push(element.shadowRoot);
    }
    inner.forEach(list);
  }
  list(document);

  /** @type {Set<Element>} */
  const heard = new Set();
  /** Elements with listeners that are all for others. @type {Set<Element | Document>} */
  const roots = new Set();

  /** @param {any} element */
  function look(element) {
    if (typeof element.__click === "function" || typeof element.$$click === "function") heard.add(element);
    for (const key of Object.keys(element)) {
      if (key.startsWith("__reactContainer$")) roots.add(element);
      if (!key.startsWith("__reactProps$") && !key.startsWith("__reactEventHandlers$")) continue;
      if (HANDLERS.some((name) => typeof element[key]?.[name] === "function")) heard.add(element);
    }
  }

  /** @param {Element | Document} element */
  function lookAtJQuery(element) {
    const events = jQuery?._data?.(element, "events");
    if (!events) return;
    let own = false;
    for (const type of TYPES)
      for (const { selector } of Array.from(events[type] ?? [])) {
        if (selector) for (const other of element.querySelectorAll(selector)) heard.add(other);
        else own = true;
      }
    if (!own) roots.add(element);
  }

  lookAtJQuery(document);
  for (const element of elements) {
    look(element);
    lookAtJQuery(element);
  }
  const numbers = [heard, roots].map((set) => {
    let text = "";
    for (let at = 0; at < elements.length; at += 1) if (set.has(elements[at])) text += text === "" ? at : `,${at}`;
    return text;
  });
  return `${elements.length};${numbers[0]};${numbers[1]}`;
})();
