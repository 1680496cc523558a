// The root element. A document has none before anything of it is parsed, when a script has removed it, and when one has
// opened the document anew (document.open) and written nothing yet: then an empty element stands in its place.

import { state } from "../state.js";

const XHTML = "http://www.w3.org/1999/xhtml";

/** The root element, or what stands in its place. @returns {Element} */
export function rootElement() {
  return document.documentElement ?? (state.empty.standIn ??= document.createElementNS(XHTML, "html"));
}

/** What scrolls the page. */
export function rootScroller() {
  return document.scrollingElement ?? rootElement();
}
