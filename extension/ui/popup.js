/**
 * The popup: the tab in front, its switch and its access.
 */

import { byId, el } from "./dom.js";
import { TabView } from "./tab_view.js";

const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
if (tab?.id !== undefined) {
  const view = new TabView(tab.id);
  const { header, questions, reason, page, form, facts } = view;
  byId("popup").append(header, questions.element, page, reason, form.element, facts, footer());
}

function footer() {
  const options = el("button", { type: "button", className: "plain small" }, "Options");
  options.addEventListener("click", () => void chrome.runtime.openOptionsPage());
  const version = `Kapture ${chrome.runtime.getManifest().version}`;
  return el("footer", { className: "row spread small quiet" }, version, options);
}
