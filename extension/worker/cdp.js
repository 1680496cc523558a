/**
 * chrome.debugger for one tab: attaching, sending in order, detaching; Chrome's messages translated for people.
 */

const PROTOCOL_VERSION = "1.3";
/** Chrome's message for a page with a frame of another extension; it can come at any time. */
const FOREIGN = /different extension/i;
/** The same for a page with a frame whose address has no origin: one of a sandboxed frame, such as `blob:null/…`. */
const WITHOUT_ORIGIN = /contents of url ""/i;
/** The same for a page, or one with a frame, at `about:blank#…` or `about:blank?…`: Chrome allows the bare address only. */
const ABOUT = /contents of url "about:/i;
/** The address that Chrome objects to: also one that the tab is only asked to go to. */
const CONTENTS_OF = /contents of url "([^"]*)"/i;
/** Schemes of what the browser itself shows or runs. */
const OF_BROWSER = /^(https?|file|ftp|about|data|blob|filesystem|javascript|view-source|chrome[a-z-]*|devtools):/i;
/** Chrome allows no extension on this page, whatever the reason. */
const SHUT_OUT = /cannot access|cannot attach|chrome:\/\/|chrome-extension:\/\/|webstore|gallery/i;

/** Chrome refused to attach. */
export class AttachError extends Error {
  /**
   * @param {"forbidden_page" | "other_extension" | "program" | "asleep" | "crashed" | "gone" | "failed"} code
   * @param {string} message
   * @param {string} hint what to do, for who has pressed Connect
   * @param {string} [whilePaused] what to do where the tab stays connected, and is attached to again when its page changes
   */
  constructor(code, message, hint, whilePaused = hint) {
    super(message);
    this.name = "AttachError";
    this.code = code;
    this.hint = hint;
    this.whilePaused = whilePaused;
  }
}

/** The browser refused a CDP command. */
export class CdpError extends Error {
  /**
   * @param {string} message
   * @param {number} cdpCode
   * @param {unknown} [cdpData] what the browser adds: which parameter is wrong, for example
   */
  constructor(message, cdpCode, cdpData) {
    super(message);
    this.name = "CdpError";
    this.code = "EXECUTION_ERROR";
    this.hint = "";
    this.data = typeof cdpData === "string" ? { cdpCode, cdpData } : { cdpCode };
  }
}

/**
 * Attach to a tab. A session left over from an earlier run of this worker is replaced.
 * @param {number} chromeTabId
 * @param {AbortSignal} signal whoever aborts it detaches
 */
export async function attach(chromeTabId, signal) {
  const target = { tabId: chromeTabId };
  try {
    await chrome.debugger.attach(target, PROTOCOL_VERSION);
    return;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    if (!/already attached/i.test(message)) throw explain(message);
  }
  signal.throwIfAborted();
  try {
    await chrome.debugger.detach(target);
    signal.throwIfAborted();
    await chrome.debugger.attach(target, PROTOCOL_VERSION);
  } catch (error) {
    throw signal.aborted ? error : explain(/** @type {Error} */ (error).message);
  }
}

/**
 * Detach; does nothing for a tab that is not attached.
 * @param {number} chromeTabId
 */
export async function detach(chromeTabId) {
  await chrome.debugger.detach({ tabId: chromeTabId }).catch(ignoreGone);
}

/**
 * Send one command. Commands of one tab arrive in the order of the calls.
 * @param {number} chromeTabId
 * @param {string} method
 * @param {object} params
 * @param {string} [sessionId] a flat child session
 * @returns {Promise<any>} rejects with `CdpError`; with `AttachError` when Chrome shuts Kapture out of the page
 */
export async function send(chromeTabId, method, params, sessionId) {
  const target = sessionId ? { tabId: chromeTabId, sessionId } : { tabId: chromeTabId };
  try {
    return await chrome.debugger.sendCommand(target, method, params);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw isShutOut(message) ? explain(message) : refused(message);
  }
}

/**
 * Whether an error means that the tab or session is gone.
 * @param {Error} error
 */
export function isGone({ message }) {
  return /not attached|no tab|cannot find|detached/i.test(message);
}

/**
 * Rethrow, except such an error.
 * @param {Error} error
 */
export function ignoreGone(error) {
  if (!isGone(error)) throw error;
}

/**
 * Whether it is Chrome that refuses, for the page, and not the page's own protocol, whose errors are JSON.
 * @param {string} message
 */
function isShutOut(message) {
  return !message.startsWith("{") && SHUT_OUT.test(message);
}

/**
 * Chrome's message contains the protocol's error object as JSON.
 * @param {string} message
 */
function refused(message) {
  if (message.startsWith("{")) {
    try {
      const error = JSON.parse(message);
      return new CdpError(String(error.message ?? message), Number(error.code ?? -32_000), error.data);
    } catch {
      return new CdpError(message, -32_000);
    }
  }
  return new CdpError(message, -32_000);
}

/** @param {string} message */
function explain(message) {
  if (FOREIGN.test(message)) {
    return refusedUntil(
      "other_extension",
      "Another extension has put a frame into this page, and Chrome does not let Kapture attach to such pages.",
      "Turn that extension off for this site (often a password manager or a page assistant) and reload the page",
    );
  }
  if (WITHOUT_ORIGIN.test(message)) {
    return refusedUntil(
      "forbidden_page",
      "A sandboxed frame of this page shows a document that the page has made itself (a blob: address). Chrome shuts extensions out of such pages.",
      "Open this page in a browser that Kapture launches, or go to another page",
    );
  }
  if (ABOUT.test(message)) {
    return refusedUntil(
      "forbidden_page",
      "This page, or a frame of it, has an about: address other than about:blank itself (such as about:blank#top). Chrome shuts extensions out of such pages.",
      "Open this page in a browser that Kapture launches, or go to another page",
    );
  }
  const program = programOf(CONTENTS_OF.exec(message)?.[1] ?? "");
  if (program) return new AttachError("program", asksForProgram(program), "Try again.");
  if (SHUT_OUT.test(message)) {
    const isFile = /file:/i.test(message);
    return refusedUntil(
      "forbidden_page",
      "The browser does not allow extensions on this page.",
      isFile ? "Turn on “Allow access to file URLs” for Kapture on chrome://extensions and reload the page" : "Open a web page in this tab",
    );
  }
  if (/another debugger/i.test(message)) return refusedUntil("failed", "Another debugger is attached to this tab.", "Stop it and reload the page");
  if (/no tab/i.test(message)) return new AttachError("gone", "The tab is gone.", "");
  return refusedUntil("failed", `Chrome could not attach to this tab: ${message}`, "Reload the tab");
}

/**
 * The scheme of an address that another program handles, such as `mailto:`; "" of any other.
 * @param {string} url
 */
export function programOf(url) {
  return OF_BROWSER.test(url) ? "" : (/^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? "");
}

/**
 * Why Chrome ends sessions of a tab that is asked to go to an address of another program. It never shows that.
 * @param {string} program see `programOf`
 */
export function asksForProgram(program) {
  return `The page has asked for another program (${program}), and Chrome has ended this tab's session for that. The page is still there.`;
}

/**
 * @param {AttachError["code"]} code
 * @param {string} message
 * @param {string} remedy what ends it, without a full stop
 */
function refusedUntil(code, message, remedy) {
  return new AttachError(code, message, `${remedy}, then connect again.`, `${remedy}: Kapture resumes by itself.`);
}
