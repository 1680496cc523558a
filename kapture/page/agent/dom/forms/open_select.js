// Whether the list of a select is open.

/** Chrome has `:open` since 133; before, a list counts as closed. @param {HTMLSelectElement} select */
export function isOpenSelect(select) {
  try {
    return select.matches(":open");
  } catch {
    return false;
  }
}
