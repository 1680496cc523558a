/**
 * The window that puts questions to the person when neither popup nor panel of the tab can be seen. It closes when all are
 * answered.
 */

import { byId } from "../dom.js";
import { TabView } from "../tab/tab_view.js";
import { showTheme } from "../theme.js";

await showTheme();
const chromeTabId = Number(new URLSearchParams(location.search).get("tab"));
let asked = false;
const { questions, handOver, send } = new TabView(chromeTabId, ({ tab, title }) => {
  questions.tabTitle = handOver.tabTitle = title || "Untitled";
  const open = (tab?.questions.length ?? 0) + (tab?.handOver ? 1 : 0);
  if (asked && open === 0) {
    send({ do: "close" }); // it is not the person who closes it
    window.close();
  }
  asked ||= open > 0;
  if (tab?.handOver) {
    document.title = "Kapture: your turn";
    byId("heading").textContent = "Your turn";
    byId("bar").hidden = true; // the debugger is not in that tab
  }
});
document.getElementById("questions")?.append(handOver, questions);
