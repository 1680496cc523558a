/**
 * The window that puts questions to the person when neither popup nor panel of the tab is open. It closes when all are
 * answered.
 */

import { byId } from "./dom.js";
import { TabView } from "./tab_view.js";

const chromeTabId = Number(new URLSearchParams(location.search).get("tab"));
let asked = false;
const { page, questions } = new TabView(chromeTabId, ({ tab }) => {
  const open = tab?.questions.length ?? 0;
  if (asked && open === 0) window.close();
  asked ||= open > 0;
});
byId("page").append(page);
byId("questions").append(questions.element);
