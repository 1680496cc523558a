// Whether the browser is still parsing the document, and elements of it will come.

/**
 * Whether the document is being parsed from what its address has sent. One that a script has opened (`document.open()`)
 * is "loading" until it is closed, which may never happen.
 */
export function isBeingParsed() {
  return document.readyState === "loading" && parsedAt() === 0;
}

/** When the document had been parsed, in milliseconds of `performance.now()`; 0 if it has not been. */
export function parsedAt() {
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return navigation?.domInteractive ?? 0;
}
