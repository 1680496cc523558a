// Printing: while the browser's preview is open, the page's scripts stand still.

/** Report it when printing begins and ends; a page can dispatch such events, but no trusted ones. */
export function watchPrinting() {
  for (const type of ["beforeprint", "afterprint"]) addEventListener(type, report, { capture: true, passive: true });
}

/** @param {Event} event */
function report({ isTrusted, type }) {
  const send = /** @type {any} */ (globalThis).kapturePrinting;
  if (isTrusted && typeof send === "function") send(type);
}
