/**
 * The DevTools panel: the parts of the page, and what they have to do with Chrome and the worker.
 */

import "../components/logs/activity.js";
import "../components/logs/log.js";
import "../components/logs/network.js";
import { saveText } from "../components/save_file.js";
import { byId } from "../dom.js";
import { StoredActivity, clearedBy, scopesOf } from "./stored_activity.js";
import "./commands.js";
import { PageRequests } from "./page_requests.js";
import { PanelPort } from "./panel_port.js";
import "./panel_view.js";
import { pageToolCommand, requestFor } from "./page_tools.js";
import { ScenarioModel } from "../scenarios/model/model.js";
import "../scenarios/scenarios_view.js";
import { openImage, pickSelected, showTheme } from "./browser.js";
import { TabView } from "../tab/tab_view.js";

/** @typedef {import("./stored_activity.js").Scope} Scope */

const SETTINGS = "panel";
const TABS = [
  { id: "commands", label: "Commands" },
  { id: "scenarios", label: "Scenarios" },
  { id: "console", label: "Console" },
  { id: "network", label: "Network" },
  { id: "activity", label: "Activity" },
];
const PICKERS = [
  { id: "page", label: "Pick", hint: "Pick an element in the page" },
  { id: "selected", label: "$0", hint: "The element that is selected in Elements" },
];
const PICKING = "Click an element in the page. Esc cancels.";

showTheme();
const chromeTabId = chrome.devtools.inspectedWindow.tabId;
const panel = byId("panel");
const commands = byId("commands");
const scenarios = byId("scenarios");
const log = byId("console");
const network = byId("network");
const activity = byId("activity");
/** @type {{tabId: string | null, site: string | null}} */
let here = { tabId: null, site: null };
/** @type {Record<string, any>} what the person has set here */
let settings = (await chrome.storage.local.get(SETTINGS))[SETTINGS] ?? {};

/** @param {Record<string, any>} changes */
function remember(changes) {
  settings = { ...settings, ...changes };
  void chrome.storage.local.set({ [SETTINGS]: settings });
}

// The connection

const tab = new TabView(chromeTabId, showView);
byId("header").append(tab.header);
byId("questions").append(tab.handOver, tab.questions);
byId("connection").append(tab.details, tab.pins);

let connectedTo = "";

/** @param {any} view of the tab, from the worker */
function showView({ connected, site, tab: shown }) {
  here = { tabId: shown?.tabId ?? null, site };
  const ready = connected && shown?.state === "ready";
  commands.blocked = ready ? "" : connected ? "Runs once the tab is connected to the hub again." : "Connect the tab to run commands on it.";
  scenarios.blocked = ready ? "" : "Connect the tab first.";
  const session = ready ? `${shown.tabId} ${shown.since}` : "";
  if (session && session !== connectedTo) {
    void loadCommands();
    if (panel.selected === "scenarios") void model.library.load();
  }
  connectedTo = session;
  log.emptyText = connected ? "What the page writes to its console shows up here." : "Connect the tab to follow its console here.";
  activity.scopes = scopesOf(site);
  showActivity();
}

// Commands

const port = new PanelPort(chromeTabId, takeLog, () => (commands.notice = PICKING), takeRecording);
/** @type {AbortController | null} */
let running = null;

async function loadCommands() {
  try {
    const { commands: own, pageTools = [] } = await port.ask({ do: "request", request: { type: "list_commands" } });
    const found = [...own, ...pageTools.map(pageToolCommand)];
    // A list that is open stays as it is while nothing is different.
    if (JSON.stringify(found) !== JSON.stringify(commands.commands)) commands.commands = found;
  } catch (error) {
    console.warn("Kapture:", error); // the connection is gone again: the next one loads them
  }
}

/**
 * @param {string} command
 * @param {Record<string, unknown>} params
 */
async function run(command, params) {
  const chosen = commands.commands.find((/** @type {any} */ { name }) => name === command);
  const request = requestFor(chosen, command, params);
  const called = chosen?.pageTool ? chosen.title : command;
  const { signal } = (running = new AbortController());
  const began = performance.now();
  commands.response = { command: called, state: "running" };
  /** @type {import("../components/answer/response.js").Response} */
  let response;
  try {
    const result = await port.ask({ do: "request", request: { type: "invoke", ...request } }, signal);
    response = { command: called, state: "ok", ...result };
  } catch (error) {
    const { code, message, hint, data } = /** @type {import("./panel_port.js").RequestError} */ (error);
    const state = code === "CANCELLED" ? "cancelled" : "failed";
    response = { command: called, state, error: state === "failed" ? { code, message, hint, data } : null };
  }
  running = null;
  commands.response = { ...response, durationMs: performance.now() - began };
}

/** @param {string} picker */
async function pick(picker) {
  if (picker === "selected") return pickSelected();
  try {
    return (await port.ask({ do: "pick" })).target ?? undefined;
  } finally {
    commands.notice = "";
  }
}

Object.assign(commands, {
  onFind: () => connectedTo && void loadCommands(), // a page's tools come and go with what it shows
  command: settings.command ?? "snapshot",
  templates: settings.templates ?? [],
  share: settings.share ?? 0.5,
  pickers: PICKERS,
  onRun: run,
  onCancel: () => running?.abort(),
  onChoose: (/** @type {string} */ command) => command !== settings.command && remember({ command }),
  onTemplates: (/** @type {any[]} */ templates) => {
    commands.templates = templates;
    remember({ templates });
  },
  onShare: (/** @type {number} */ share) => remember({ share }),
  onOpenImage: openImage,
  onPick: pick,
});

// Scenarios

const model = new ScenarioModel((command, params, { signal, onProgress } = {}) => {
  return port.ask({ do: "request", request: { type: "invoke", command, params } }, signal, onProgress);
});
Object.assign(scenarios, { model, onOpenImage: openImage, pickers: PICKERS, onPick: pick });

/** @param {any} state of the recording of this tab, or null */
function takeRecording(state) {
  model.showRecording(state);
  panel.tabs = TABS.map((one) => (one.id === "scenarios" && state?.going ? { ...one, label: "● Scenarios" } : one));
}

// Console

/**
 * @param {any[]} entries
 * @param {boolean} whole
 */
function takeLog(entries, whole) {
  log.entries = [...(whole ? [] : log.entries), ...entries].slice(-log.max);
}

Object.assign(log, {
  max: settings.lines ?? 1_000,
  onMax: (/** @type {number} */ max) => {
    log.max = max;
    log.entries = log.entries.slice(-max);
    remember({ lines: max });
  },
  onClear: () => {
    log.entries = [];
    port.send({ do: "clear_log" });
  },
});

// Network

const requests = new PageRequests((entries) => (network.entries = entries));
network.onBody = (/** @type {any} */ entry) => requests.body(entry);
network.onClear = () => requests.clear();

// Activity

const stored = new StoredActivity(showActivity);
/** @type {Scope} */
let scope = "tab";

function showActivity() {
  activity.scope = scope;
  activity.entries = stored.of(scope, here);
}

/** @param {any} entry */
async function details(entry) {
  return port.ask({ do: "request", request: { type: "get_call", call: entry.call } });
}

Object.assign(activity, {
  onScope: (/** @type {Scope} */ chosen) => {
    scope = chosen;
    showActivity();
  },
  onDetails: details,
  onRunAgain: async (/** @type {any} */ entry) => {
    // What is kept of the arguments has no secrets; the hub still knows all of a call that it ran itself.
    const found = await details(entry).catch(() => null);
    commands.show(entry.command, found?.arguments ?? entry.arguments ?? {});
    panel.select("commands");
    if (found && !commands.blocked && !running) void run(entry.command, found.arguments);
  },
  onExport: (/** @type {string} */ json) => saveText(json, "kapture-activity.json"),
  onClear: () => port.send({ do: "clear_activity", of: clearedBy(scope, here) }),
});

// The frame, and shortcuts

Object.assign(panel, {
  tabs: TABS,
  selected: settings.tab ?? "connection",
  onSelect: (/** @type {string} */ id) => {
    remember({ tab: id });
    if (id === "scenarios" && connectedTo) void model.library.load(); // others record and delete too
  },
});

// DevTools listen on the document for keys that are shortcuts of theirs, and leave those alone that are typed into an
// input. They look at `document.activeElement`, which for our fields is the host of a shadow root (crbug.com/923338).
document.body.addEventListener("keydown", (event) => {
  const [field] = event.composedPath();
  const isField = field instanceof HTMLElement && (field.matches("input, textarea, select") || field.isContentEditable);
  if (isField && event.key.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey) event.stopPropagation();
});

document.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey } = event;
  const number = altKey ? Number(key) : 0;
  if ((ctrlKey || metaKey) && key.toLowerCase() === "k") {
    panel.select("commands");
    void panel.updateComplete.then(() => commands.find());
  } else if (TABS[number - 1]) panel.select(TABS[number - 1].id);
  else if (key === "Escape" && commands.notice) port.send({ do: "stop_pick" });
  else if (key === "Escape" && running) running.abort();
  else return;
  event.preventDefault();
});
