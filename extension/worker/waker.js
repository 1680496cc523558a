/**
 * A page without a window that restarts the worker when the browser ends it: while tabs are connected it holds a port,
 * and opens another when that closes.
 */

const PAGE = "ui/waker.html";

export const PORT = "waker";

/** @type {boolean | null} null until the worker knows its tabs */
let wanted = null;
/** @type {Promise<void>} each change waits for the previous one */
let last = Promise.resolve();

/** @param {boolean} busy whether some tab is connected or trying to connect */
export function keepWaker(busy) {
  if (busy === wanted) return last;
  wanted = busy;
  last = last.then(() => (busy ? open() : close())).catch((error) => console.warn("Kapture:", error.message));
  return last;
}

async function open() {
  if (await exists()) return;
  await chrome.offscreen.createDocument({
    url: PAGE,
    reasons: [chrome.offscreen.Reason.WORKERS],
    justification: "Starts the extension's worker again when the browser has ended it while tabs are connected.",
  });
}

async function close() {
  if (await exists()) await chrome.offscreen.closeDocument();
}

async function exists() {
  const contexts = await chrome.runtime.getContexts({ contextTypes: [chrome.runtime.ContextType.OFFSCREEN_DOCUMENT] });
  return contexts.length > 0;
}
