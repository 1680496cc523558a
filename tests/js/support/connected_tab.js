// A connected tab at its two edges: a fake Chrome, and sockets that a test is the hub of.

import { mock } from "node:test";

import { ConnectedTab } from "../../../extension/worker/tab/connected_tab.js";
import { Panels } from "../../../extension/worker/panels/panels.js";
import { FakeChrome } from "./chrome.js";
import { pairing, register } from "./hub.js";
import { idle } from "./idle.js";
import { FakeSocket } from "./socket.js";

/** A tab that a person has connected, but that has not been started. `asked` counts the questions put to the person. */
export function connectedTab() {
  mock.timers.reset();
  const chrome = new FakeChrome().install();
  FakeSocket.install();
  const shown = chrome.openTab();
  chrome.answer = (method) => {
    const { origin } = new URL(shown.url);
    if (method === "Page.getFrameTree") return { frameTree: { frame: { id: "main", url: shown.url, securityOrigin: origin } } };
    return {};
  };
  /** @type {import("../../../extension/worker/state.js").SavedTab} */
  const saved = { tabId: "abcdefgh", connected: true, grant: { sites: ["shop.example"], level: "interact" }, by: "person", opener: null, since: 0 };
  const asked = { times: 0, group: /** @type {string | null} */ (null) };
  const tab = new ConnectedTab(shown.id, saved, {
    pair: pairing,
    browserCommand: async () => ({}),
    onChange: () => {},
    onQuestion: () => (asked.times += 1),
    onRefused: async () => {},
    save: async () => {},
    group: () => asked.group,
    panels: new Panels(),
  });
  return { chrome, shown, tab, asked };
}

/** Connect, and register with the hub. @param {ConnectedTab} tab */
export async function registered(tab) {
  await tab.start();
  await opened(1);
  return FakeSocket.last;
}

/** @param {number} count */
export async function opened(count) {
  await FakeSocket.until(() => FakeSocket.opened.length === count);
  await register(FakeSocket.last);
}

/** @param {FakeSocket} socket @param {string} method @param {object} [params] @param {string} [call] */
export async function cdp(socket, method, params = {}, call) {
  socket.receive({ type: "command", id: method, command: "cdp", params: { method, params }, call });
  await idle();
  return socket.sent.find(({ id }) => id === method);
}

/** The events that the hub got. @param {FakeSocket} socket */
export const events = (socket) => socket.sent.filter(({ type }) => type === "event").map(({ event, reason }) => (reason ? `${event} ${reason}` : event));
