// What every widget page has: a heading, a place for the widget, and the state that the page itself has come to.

/** @param {string} title @param {string} [html] @returns {HTMLElement} where the widget goes */
export function place(title, html = "") {
  document.title = title;
  document.body.insertAdjacentHTML("beforeend", `<h1>${title}</h1><main id="app">${html}</main><pre id="state"></pre>`);
  return /** @type {HTMLElement} */ (document.getElementById("app"));
}

/** Show what the widget's own events say, for the test to read. @param {string} key @param {unknown} value */
export function report(key, value) {
  const state = /** @type {HTMLElement} */ (document.getElementById("state"));
  const known = JSON.parse(state.textContent || "{}");
  state.textContent = JSON.stringify({ ...known, [key]: value });
}
