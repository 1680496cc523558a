/**
 * Taking a tab to `about:blank`. Chrome gives that document the origin of whoever asks for it: of an extension that
 * navigates with `Page.navigate`, and then Chrome keeps Kapture out of the tab. So the page is made to go there itself.
 */

import * as cdp from "../cdp.js";

export const BLANK = "about:blank";
const ABORTED = "net::ERR_ABORTED";
/** Goes there; its value is whether no listener of the page has kept it from that. A page may have a variable of that name. */
const GO = `(() => {
  let stays = false;
  const look = (event) => { stays = event.defaultPrevented; };
  window.navigation?.addEventListener?.("navigate", look);
  location.href = "${BLANK}";
  window.navigation?.removeEventListener?.("navigate", look);
  return !stays;
})()`;

/**
 * Navigate from within the page. A page that stays, because its person or the page itself wants it to, answers with
 * the error that the browser has for it.
 * @param {number} chromeTabId
 * @param {string} frameId of the tab's main frame
 * @returns {Promise<{frameId: string, loaderId?: string, errorText?: string}>} as `Page.navigate` answers
 */
export async function goToBlank(chromeTabId, frameId) {
  const { onEvent, onDetach } = chrome.debugger;
  /** @type {(outcome: {loaderId?: string, errorText?: string}) => void} */
  let resolve = () => {};
  /** @type {(error: Error) => void} */
  let reject = () => {};
  const outcome = new Promise((...settle) => ([resolve, reject] = settle));
  outcome.catch(() => {}); // it may come before anyone waits for it
  onEvent.addListener(take);
  onDetach.addListener(end);
  try {
    const run = await cdp.send(chromeTabId, "Runtime.evaluate", { expression: GO, returnByValue: true });
    if (run.result?.value !== true) return { frameId, errorText: ABORTED };
    return { frameId, ...(await outcome) };
  } finally {
    onEvent.removeListener(take);
    onDetach.removeListener(end);
  }

  /**
   * @param {chrome.debugger.DebuggerSession} source
   * @param {string} method
   * @param {any} [params]
   */
  function take(source, method, params) {
    if (source.tabId !== chromeTabId || source.sessionId) return;
    if (method === "Page.frameStartedNavigating" && params.frameId === frameId) resolve({ loaderId: params.loaderId });
    else if (method === "Page.frameNavigated" && params.frame.id === frameId) resolve({ loaderId: params.frame.loaderId });
    else if (method === "Page.javascriptDialogClosed" && !params.result) resolve({ errorText: ABORTED });
  }
  /** @param {chrome.debugger.Debuggee} source */
  function end(source) {
    if (source.tabId === chromeTabId) reject(new Error("Debugger is not attached: it was detached while the page was left."));
  }
}
