// Documents that the browser shows without anything in them that a script could read.

/**
 * What to say in place of the contents of such a document; undefined for all others.
 * @returns {string | undefined}
 */
export function unreadable() {
  if (document.contentType !== "application/pdf") return undefined;
  return "[a PDF, which the browser draws by itself: nothing in it can be read or found here; a screenshot shows what is in view, and its address can be downloaded]";
}
