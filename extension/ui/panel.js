/**
 * The DevTools panel: the inspected tab, its switch and access, and what ran on it.
 */

import { activityRows } from "./activity.js";
import { byId } from "./dom.js";
import { TabView } from "./tab_view.js";

const dark = chrome.devtools.panels.themeName === "dark";
document.documentElement.dataset.theme = dark ? "dark" : "light";

const view = new TabView(chrome.devtools.inspectedWindow.tabId, ({ tab }) => showActivity(tab?.activity ?? []));
const { header, questions, reason, page, form, facts } = view;
byId("tab").append(header, questions.element, page, reason, form.element, facts);

let newest = "";

/** @param {any[]} activity */
function showActivity(activity) {
  const key = `${activity.length} ${activity[0]?.startedAt} ${activity[0]?.command}`;
  if (key === newest) return;
  newest = key;
  byId("activity-empty").hidden = activity.length > 0;
  byId("activity-list").replaceChildren(...activityRows(activity));
}
