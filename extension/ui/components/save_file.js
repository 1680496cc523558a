/**
 * Files that the browser saves among the person's downloads.
 */

/**
 * Save a text.
 * @param {string} text
 * @param {string} name
 * @param {string} [type]
 */
export function saveText(text, name, type = "application/json") {
  saveBlob(new Blob([text], { type }), name);
}

/**
 * Save a picture or a file of an answer.
 * @param {{base64: string, mimeType: string, name?: string | null}} part
 * @param {string} fallback its name where it has none, without the ending
 */
export function savePart({ base64, mimeType, name }, fallback) {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  saveBlob(new Blob([bytes], { type: mimeType }), name || `${fallback}.${mimeType.split("/").at(-1)}`);
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function saveBlob(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
