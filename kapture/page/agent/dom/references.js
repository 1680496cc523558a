// Elements referred to by ID.

/**
 * The elements listed in an attribute of IDs, in its order, in the element's own tree; or those set by reflection
 * (`ariaLabelledByElements`), which need no IDs.
 * @param {Element} element
 * @param {string} attribute
 * @returns {Element[]}
 */
export function referenced(element, attribute) {
  const ids = element.getAttribute(attribute) ?? misspelled(element, attribute);
  if (ids === null) return [];
  if (ids.trim() === "") return reflected(element, attribute);
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  if (!("getElementById" in root)) return [];
  /** @type {Element[]} */
  const found = [];
  for (const id of ids.trim().split(/\s+/)) {
    const one = root.getElementById(id);
    if (one && !found.includes(one)) found.push(one);
  }
  return found;
}

/**
 * The attribute as many authors misspell it, which browsers understand.
 * @param {Element} element
 * @param {string} attribute
 */
function misspelled(element, attribute) {
  return attribute === "aria-labelledby" ? element.getAttribute("aria-labeledby") : null;
}

const REFLECTIONS = /** @type {Record<string, string>} */ ({
  "aria-labelledby": "ariaLabelledByElements",
  "aria-describedby": "ariaDescribedByElements",
  "aria-owns": "ariaOwnsElements",
});

/**
 * @param {Element} element
 * @param {string} attribute
 * @returns {Element[]}
 */
function reflected(element, attribute) {
  const property = REFLECTIONS[attribute];
  const found = property && /** @type {any} */ (element)[property];
  return Array.isArray(found) ? found : []; // of a form it may be a field of that name
}
