/**
 * A list in which the form of one entry is open: `editing` says which.
 */

/** @typedef {import("../../vendor/lit.js").LitElement & {editing: unknown}} List */

/** @param {List} list @returns {import("../../components/form/form.js").Form | null} */
export function openForm(list) {
  return list.renderRoot.querySelector("k-form");
}

/** Close the open form, unless something in it is no value yet: that would be lost. @param {List} list @returns {boolean} whether it is closed */
export function closeForm(list) {
  const form = openForm(list);
  if (form && form.drafts.size > 0) return form.submit();
  list.editing = null;
  return true;
}

/** Open the form of an entry, or close it where it is open. @param {List} list @param {unknown} entry */
export function toggleForm(list, entry) {
  const open = list.editing === entry;
  if (closeForm(list) && !open) list.editing = entry;
}

/**
 * @template T
 * @param {readonly T[]} entries
 * @param {number} at
 * @param {number} by
 */
export function moved(entries, at, by) {
  return entries.toSpliced(at, 1).toSpliced(at + by, 0, entries[at]);
}

/**
 * Keep the focus on what was moved, so that it can be moved on by the same key.
 * @param {import("../../vendor/lit.js").LitElement} view
 * @param {number} to where it is now
 * @param {number} by
 */
export async function followMove(view, to, by) {
  const owner = /** @type {ShadowRoot} */ (view.getRootNode()).host; // it may hold the entries
  await /** @type {any} */ (owner)?.updateComplete;
  await view.updateComplete;
  const titles = by < 0 ? ["Move up", "Move down"] : ["Move down", "Move up"];
  const row = view.renderRoot.querySelectorAll("li")[to];
  const buttons = titles.map((title) => /** @type {HTMLButtonElement | null} */ (row?.querySelector(`[title="${title}"]`)));
  buttons.find((button) => button && !button.disabled)?.focus(); // at either end one of them is off
}
