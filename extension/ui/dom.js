/**
 * The elements that a page of the extension has in its HTML.
 */

/**
 * The element with this id, which the page's HTML has.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element #${id}`);
  return found;
}
