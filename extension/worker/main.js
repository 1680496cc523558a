/**
 * The service worker's entry. Chrome wakes the worker for events, so every listener is registered here, at once; each
 * waits until what was saved is loaded.
 */

import { badgeGone, showBadge } from "./badge.js";
import { Panels } from "./panels.js";
import { Tabs } from "./tabs.js";
import { Views } from "./views.js";

const WAKE_ALARM = "reconnect";

const views = new Views();
const panels = new Panels();
const tabs = new Tabs(
  {
    onChange: (chromeTabId) => {
      const tab = tabs.tabs.get(chromeTabId);
      void showBadge(chromeTabId, tab ?? null, tabs.failures.has(chromeTabId));
      views.push(chromeTabId);
      void keepAwake();
    },
    onQuestion: (tab) => settled(() => views.askPerson(tab)),
  },
  panels,
);
views.serve(tabs);
panels.serve(tabs);

chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => {
  if (tabId !== undefined) tabs.tabs.get(tabId)?.onCdpEvent(method, params, sessionId);
});
chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
  if (tabId !== undefined) settled(() => tabs.tabs.get(tabId)?.onDetached(reason));
});
chrome.tabs.onCreated.addListener((tab) => settled(() => tabs.onCreated(tab)));
chrome.tabs.onUpdated.addListener((id, change, tab) => settled(() => tabs.onUpdated(id, change, tab)));
chrome.tabs.onUpdated.addListener((id, change) => {
  views.push(id);
  if (!change.status) return;
  badgeGone(id); // a navigation wipes it
  void showBadge(id, tabs.tabs.get(id) ?? null, tabs.failures.has(id));
});
chrome.tabs.onRemoved.addListener((id) => settled(() => tabs.onRemoved(id).finally(() => badgeGone(id))));
chrome.tabs.onRemoved.addListener((id) => panels.onRemoved(id));
chrome.tabs.onReplaced.addListener((added, removed) => settled(() => tabs.onReplaced(added, removed)));
chrome.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) =>
  settled(() => tabs.follow(sourceTabId, tabId)),
);
chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === WAKE_ALARM) settled(() => tabs.retryNow());
});
// The event alone is enough: the worker starts, and the tabs reconnect with it.
chrome.runtime.onStartup.addListener(() => settled(() => tabs.retryNow()));
chrome.runtime.onInstalled.addListener(() => settled(() => tabs.retryNow()));
chrome.runtime.onConnect.addListener((port) => panels.connect(port) || views.connect(port));

/**
 * Run once the saved state is loaded. A failure is Chrome's (the tab went away meanwhile): it is logged, and the next
 * event finds the state as it is.
 * @param {() => unknown} work
 */
function settled(work) {
  tabs.ready.then(work).catch((error) => console.warn("Kapture:", error.message));
}

/** @type {boolean | null} whether the alarm is set; null until it has been looked up */
let alarmed = null;

/** While a tab wants to be connected, an alarm starts an evicted worker again. */
async function keepAwake() {
  if (alarmed === tabs.busy) return;
  alarmed = tabs.busy;
  const exists = (await chrome.alarms.get(WAKE_ALARM)) !== undefined;
  if (tabs.busy && !exists) await chrome.alarms.create(WAKE_ALARM, { periodInMinutes: 0.5 });
  else if (!tabs.busy && exists) await chrome.alarms.clear(WAKE_ALARM);
}
