/**
 * The service worker's entry point. Chrome wakes the worker for events, so every listener is registered here, at once;
 * each waits until the saved state is loaded.
 */

import { badgeGone, showBadge } from "./views/badge.js";
import { BrowserLink } from "./connection/browser_link.js";
import { Panels } from "./panels/panels.js";
import { Pointing } from "./views/pointing.js";
import { RequestViews } from "./views/request_views.js";
import { StandingGrants } from "./standing.js";
import { bondFor, bondOf, revokeStanding } from "./standing_grants.js";
import { TabRequests } from "./views/tab_requests.js";
import { rememberUnanswered } from "./state.js";
import { Tabs } from "./tabs.js";
import { Views } from "./views/views.js";
import { event } from "./connection/wire.js";

const WAKE_ALARM = "reconnect";

const views = new Views();
const panels = new Panels();
const tabs = new Tabs(
  {
    onChange: (chromeTabId) => {
      const tab = tabs.tabs.get(chromeTabId);
      void showBadge(chromeTabId, tab ?? null, tabs.failures.has(chromeTabId));
      views.push(chromeTabId);
      requests.tabChanged(chromeTabId);
      if (tab?.connection.state === "ready") link.connect();
    },
    onQuestion: (tab) => whenLoaded(() => views.askPerson(tab)),
  },
  panels,
);
const requestViews = new RequestViews();
const requests = new TabRequests({
  send: (message) => link.send(message),
  open: async (url) => Number((await chrome.tabs.create({ url, active: true })).id),
  connect: async (chromeTabId, grant, lasting, group) => {
    const bond = await bondFor(chromeTabId, grant, lasting);
    const known = tabs.tabs.get(chromeTabId);
    if (known?.saved.connected) await known.setGrant(grant, bond ?? undefined, group);
    else await tabs.connect(chromeTabId, grant, { by: "person", bond, group });
  },
  standing: (request) => standing.forRequest(request),
  connectStanding: (chromeTabId, given) => standing.connect(chromeTabId, given),
  find: (tabId) => tabs.find(tabId),
  registered: (chromeTabId) => {
    const tab = tabs.tabs.get(chromeTabId);
    return tab?.connection.state === "ready" ? tab.saved.tabId : null;
  },
  onRequest: () => whenLoaded(() => requestViews.askPerson()),
  onUnanswered: (request) => {
    void panels.activity.addUnanswered(request);
    void rememberUnanswered(request);
  },
  onChange: () => requestViews.push(),
});
const link = new BrowserLink({
  pair: () => tabs.pair(false),
  launched: () => tabs.launch !== null,
  onMessage: (message) => {
    if (message.type === "tab_request") requests.ask(message);
    else if (message.type === "tab_request_end") requests.end(message.id);
    else if (message.type === "tab_close_unused") whenLoaded(() => tabs.closeUnused(message.tabId));
    else if (message.type === "tab_narrow") whenLoaded(() => tabs.narrow(message.tabId, message));
    else if (message.type === "clients") whenLoaded(() => standing.heard(/** @type {any} */ (message)));
    else if (message.type === "standing_revoke") void revokeStanding(message.id);
    else if (message.type === "tab_disconnect") whenLoaded(() => tabs.disconnect(tabs.find(message.tabId)?.chromeTabId ?? -1));
  },
  onReady: () => {
    sendStanding();
    tabs.retryNow();
  },
  onLost: () => {
    requests.clear();
    standing.lost();
    views.pushAll();
  },
});
const standing = new StandingGrants(tabs, {
  address: () => link.connection.address,
  onChange: () => {
    sendStanding();
    views.pushAll();
    requestViews.push();
  },
});
requestViews.serve(requests, standing);
views.serve(tabs, standing);
const pointing = new Pointing(panels.picker);
pointing.serve(tabs);
views.pointing = pointing;
views.send = (message) => link.send(message);
panels.serve(tabs);

chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => {
  if (tabId !== undefined) tabs.tabs.get(tabId)?.onCdpEvent(method, params, sessionId);
});
chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
  if (tabId !== undefined) whenLoaded(() => tabs.tabs.get(tabId)?.onDetached(reason));
});
chrome.tabs.onActivated.addListener(({ tabId }) => whenLoaded(() => tabs.onActivated(tabId)));
chrome.storage.onChanged.addListener(({ profileName }, area) => {
  if (area === "local" && profileName) link.renew();
});
chrome.tabs.onCreated.addListener((tab) => whenLoaded(() => tabs.onCreated(tab)));
chrome.tabs.onUpdated.addListener((id, change, tab) =>
  whenLoaded(async () => {
    await tabs.onUpdated(id, change, tab);
    if (tabs.expected === 0 && (change.url !== undefined || change.status === "complete")) await standing.look(tab);
  }),
);
chrome.tabs.onUpdated.addListener((id, change) => {
  views.push(id);
  if (!change.status) return;
  badgeGone(id); // a navigation resets it
  void showBadge(id, tabs.tabs.get(id) ?? null, tabs.failures.has(id));
});
chrome.tabs.onRemoved.addListener((id) => whenLoaded(() => tabs.onRemoved(id).finally(() => badgeGone(id))));
chrome.tabs.onRemoved.addListener((id) => panels.onRemoved(id));
/** The person has turned to another tab or window. */
const looksElsewhere = () => whenLoaded(() => Promise.all([...tabs.tabs.values()].map(({ handOver }) => handOver.look())));
chrome.tabs.onActivated.addListener(looksElsewhere);
chrome.windows.onFocusChanged.addListener(looksElsewhere);
chrome.tabs.onReplaced.addListener((added, removed) => whenLoaded(() => tabs.onReplaced(added, removed).finally(() => badgeGone(removed))));
chrome.tabs.onReplaced.addListener((added, removed) => panels.onReplaced(added, removed));
chrome.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) =>
  whenLoaded(() => tabs.follow(sourceTabId, tabId)),
);
chrome.storage.onChanged.addListener((changes, area) => {
  if (area === "local" && "shows" in changes) for (const tab of tabs.tabs.values()) tab.send(event("shows", { shows: changes.shows.newValue !== false }));
});
chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === WAKE_ALARM) whenLoaded(retryNow);
});
// The event alone is sufficient: it starts the worker, which reconnects the tabs.
chrome.runtime.onStartup.addListener(() => whenLoaded(retryNow));
chrome.runtime.onInstalled.addListener(({ reason }) => {
  pointing.addMenu();
  whenLoaded(retryNow);
  if (reason === "install") whenLoaded(showFirstRun);
});
chrome.runtime.onConnect.addListener((port) => {
  if (!panels.connect(port) && !requestViews.connect(port)) views.connect(port);
});
whenLoaded(() => link.connect());
// No offscreen document does this: an extension whose offscreen document crashes is disabled until a person reloads it
// (Chromium's ExtensionService::OnExtensionHostRenderProcessGone), and the worker shares its process.
void chrome.alarms.create(WAKE_ALARM, { periodInMinutes: 0.5 });

function retryNow() {
  tabs.retryNow();
  void standing.apply(); // a timer does not run while the computer sleeps
  link.connect();
}

/** Tell the hub, for its lists, what stands. */
function sendStanding() {
  const grants = standing.grants.map((one) => ({ ...bondOf(one), sites: one.sites, level: one.level, ...(one.group ? { group: one.group } : {}) }));
  link.send({ type: "standing_grants", grants });
}

/** Show the first-run page to a person, but not in a browser started by a program. */
async function showFirstRun() {
  if (tabs.launch === null) await chrome.tabs.create({ url: chrome.runtime.getURL("ui/first_run.html") });
}

/**
 * Run `work` once the saved state is loaded. A failure is Chrome's (the tab is gone meanwhile): it is logged, and the
 * next event finds the state unchanged.
 * @param {() => unknown} work
 */
function whenLoaded(work) {
  tabs.ready.then(work).catch((error) => console.warn("Kapture:", error.message));
}
