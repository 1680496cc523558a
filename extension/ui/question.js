/**
 * The window that puts questions to the person when neither popup nor panel of the tab is open. It closes when all are
 * answered.
 */

import { byId } from "./dom.js";
import { TabView } from "./tab_view.js";

const chromeTabId = Number(new URLSearchParams(location.search).get("tab"));
let asked = false;
const { page, questions, send } = new TabView(chromeTabId, ({ tab }) => {
  const open = tab?.questions.length ?? 0;
  if (asked && open === 0) {
    send({ do: "close" }); // it is not the person who closes it
    window.close();
  }
  asked ||= open > 0;
});
byId("page").append(page);
byId("questions").append(questions.element);
