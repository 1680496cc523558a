// Pasting, without the person's clipboard.

import { AgentError } from "../errors.js";
import { harmless } from "./pasted_html.js";

/**
 * Dispatch a paste event with text, without using the person's clipboard. `taken`: the page handled it; otherwise the
 * browser must insert it.
 * @param {{ text: string, html?: string }} args
 */
export function offerPaste({ text, html }) {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  if (html) data.setData("text/html", html);
  let focus = document.activeElement;
  while (focus?.shadowRoot?.activeElement) focus = focus.shadowRoot.activeElement;
  const target = focus ?? document.body;
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true });
  return { taken: !target.dispatchEvent(event), rich: /** @type {HTMLElement} */ (target).isContentEditable };
}

const AS_TEXT = "Paste it as plain text, without html.";

/**
 * Insert HTML at the caret, as the browser does when it is pasted: without what would run or be fetched.
 * @param {{ html: string }} args
 */
export function insertHtml({ html }) {
  try {
    if (document.execCommand("insertHTML", false, harmless(html))) return null;
  } catch (error) {
    // The page's Content-Security-Policy counts in every world.
    if (!String(error).includes("TrustedHTML")) throw error;
    throw new AgentError("EXECUTION_ERROR", "The page requires Trusted Types, and accepts no HTML as text.", AS_TEXT);
  }
  throw new AgentError("EXECUTION_ERROR", "The page did not take the HTML.", AS_TEXT);
}
