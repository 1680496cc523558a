// Pasting, without the person's clipboard.

import { describe } from "../accessibility/describe.js";
import { focusedElement } from "../dom/focus.js";
import { retain } from "../dom/handles.js";
import { AgentError } from "../errors.js";
import { refuseNoField } from "./fields.js";
import { rememberHeld } from "./filling/read_back.js";
import { expectText } from "./guards/text_guard.js";
import { harmless } from "./pasted_html.js";

/**
 * Dispatch a paste event with text to what has the focus, without using the person's clipboard. `taken`: the page handled
 * it; otherwise the browser must insert it, which only a field lets it do.
 * @param {{ text: string, html?: string }} args
 */
export function offerPaste({ text, html }) {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  if (html) data.setData("text/html", html);
  const at = focusedElement();
  if (at) {
    rememberHeld(at);
    expectText(at);
  }
  const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true });
  const taken = !(at ?? document.body).dispatchEvent(event);
  if (!taken && at) refuseNoField(at);
  if (!taken && !at) throw new AgentError("ELEMENT_NOT_ACTIONABLE", "Nothing on the page has the focus, and the page did not take the paste.", "Name the field as target.");
  return { taken, ...(at && { element: describe(at), handle: retain(at), rich: /** @type {HTMLElement} */ (at).isContentEditable }) };
}

const AS_TEXT = "Paste it as plain text, without html.";

/**
 * Insert HTML at the caret, as the browser does when it is pasted: without what would run or be fetched.
 * `pictures`: it has put pictures there that have no text to read back.
 * @param {{ html: string }} args
 */
export function insertHtml({ html }) {
  const pictures = () => focusedElement()?.querySelectorAll("img").length ?? 0;
  try {
    const before = pictures();
    const inserted = harmless(html);
    const worded = /[^\s]/.test(inserted.replace(/<[^>]*>/g, ""));
    if (document.execCommand("insertHTML", false, inserted)) return { pictures: !worded && pictures() > before };
  } catch (error) {
    // The page's Content-Security-Policy counts in every world.
    if (!String(error).includes("TrustedHTML")) throw error;
    throw new AgentError("EXECUTION_ERROR", "The page requires Trusted Types, and accepts no HTML as text.", AS_TEXT);
  }
  throw new AgentError("EXECUTION_ERROR", "The page did not take the HTML.", AS_TEXT);
}
