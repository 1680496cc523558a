/**
 * The popup: the tab in front, its switch and what is allowed on it, who asks for what, and the other connected tabs.
 */

import "./popup_footer.js";
import { RequestsView } from "../questions/requests.js";
import { TabView } from "../tab/tab_view.js";
import { showTheme } from "../theme.js";
import { lastUnanswered } from "../../worker/state.js";

await showTheme();
const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
if (tab?.id !== undefined) {
  const footer = /** @type {import("./popup_footer.js").PopupFooter} */ (document.createElement("k-popup-footer"));
  const fit = () => requestAnimationFrame(() => void footer.fit());
  let waiting = { requests: 0, questions: 0 };
  // What waits for an answer is all that there is room for.
  const show = (/** @type {Partial<typeof waiting>} */ changed) => {
    waiting = { ...waiting, ...changed };
    view.details.hidden = footer.hidden = waiting.requests + waiting.questions > 0;
    view.pins.hidden = view.details.hidden || !view.view?.connected;
    fit();
  };
  const requests = new RequestsView((open) => show({ requests: open }));
  const view = new TabView(tab.id, (shown) => {
    footer.view = shown;
    show({ questions: (shown.tab?.questions.length ?? 0) + (shown.tab?.handOver ? 1 : 0) });
  });
  view.details.compact = true;
  view.details.addController({ hostUpdated: fit });
  view.questions.compact = true;
  view.pins.onPoint = (what) => {
    view.send({ do: "point", what });
    setTimeout(() => window.close()); // it would stand before the page
  };
  footer.onJump = (chromeTabId) => {
    view.send({ do: "jump", chromeTabId });
    window.close();
  };
  footer.onHold = (what, about) => view.send({ do: what, ...about });
  footer.unanswered = await lastUnanswered();
  footer.onRevoke = (id) => view.send({ do: "revoke", id });
  footer.onEndShare = (name) => view.send({ do: "end_share", name });
  footer.onOptions = () => void chrome.runtime.openOptionsPage();
  document.getElementById("popup")?.append(view.header, requests.element, view.handOver, view.questions, view.details, view.pins, footer);
}
