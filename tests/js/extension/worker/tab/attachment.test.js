// The attachment over a fake chrome.debugger: what it does in every state with every event that can come.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Attachment } from "../../../../../extension/worker/tab/attachment.js";
import { TABLE } from "../../../../../extension/worker/tab/attachment_states.js";
import { AFTER, FROM_OUTSIDE } from "../../../support/attachment_outcomes.js";
import { FakeChrome } from "../../../support/chrome.js";
import { idle } from "../../../support/idle.js";

/** @typedef {import("../../../../../extension/worker/tab/attachment_states.js").State} State */
/** @typedef {import("../../../../../extension/worker/tab/attachment_states.js").Event} Event */

const FORBIDDEN = "Cannot access a chrome:// URL";
const FOREIGN = "Cannot access a chrome-extension:// URL of different extension";

/** @type {FakeChrome} */
let chrome;
/** @type {Attachment} */
let attachment;
let tab = /** @type {import("../../../support/chrome.js").FakeTab} */ ({});
/** Whether a hub is there to be sent something. */
let hub = false;
/** @type {string[]} what the hub was sent, and that the connection was started */
let log = [];
/** @type {string[]} what no one waits for and has failed */
let errors = [];
/** @type {((error?: Error) => void) | null} ends the attempt that `hold` holds */
let letGo = null;

beforeEach(() => {
  chrome = new FakeChrome().install();
  tab = chrome.openTab();
  [hub, log, letGo] = [false, [], null];
  errors = [];
  /** @type {import("../../../../../extension/worker/tab/attachment.js").Owner} */
  const owner = {
    get chromeTabId() {
      return tab.id;
    },
    isOwnPage: (url) => url.startsWith("chrome-extension:"),
    onAttaching: () => {},
    onSeed: () => {},
    connect: () => log.push("connect"),
    send: ({ event, reason }) => {
      if (hub) log.push(reason ? `${event} ${reason}` : event);
      return hub;
    },
    onChange: () => {},
    onError({ message }) {
      assert.equal(this, owner, "a method of its tab");
      errors.push(message);
    },
  };
  attachment = new Attachment(owner);
});

afterEach(() => assert.deepEqual(errors, []));

/** From now on an attempt ends when `letGo` is called. */
function hold() {
  chrome.answer = () => new Promise((resolve, reject) => (letGo = (error) => (error ? reject(error) : resolve({}))));
}

function unhold() {
  chrome.answer = () => ({});
}

/** Bring the attachment, by what happens to a tab, into a state. @type {Record<State, () => Promise<void>>} */
const INTO = {
  detached: async () => {},
  attaching: async () => {
    hold();
    attachment.connect().catch(() => {}); // how it ends is in the state
    await idle();
  },
  attached: () => attachment.connect(),
  in_use: async () => {
    await INTO.attached();
    hub = true;
    attachment.handle("hub_ready");
  },
  crashed: async () => {
    await INTO.in_use();
    attachment.handle("crash");
  },
  renewing: async () => {
    await INTO.in_use();
    hub = false;
    hold();
    void attachment.prepareForHub();
    await idle();
  },
  reattaching: async () => {
    await INTO.in_use();
    hold();
    chrome.attached.clear();
    attachment.handle("lost");
    await idle();
  },
  paused: async () => {
    await INTO.in_use();
    attachment.handle("excluded", { message: "Keep out.", hint: "" });
    await idle();
  },
  idle: async () => {
    await INTO.in_use();
    attachment.rest();
    await idle();
  },
  handed_over: async () => {
    await INTO.in_use();
    attachment.handOver();
    await idle();
  },
  resuming: async () => {
    await INTO.paused();
    hold();
    attachment.handle("page_changed");
    await idle();
  },
};

for (const state of /** @type {State[]} */ (Object.keys(TABLE))) {
  for (const event of FROM_OUTSIDE) {
    const after = AFTER[state][event] ?? state;
    test(`${state}: ${event} leads to ${after}`, async () => {
      await INTO[state]();
      assert.equal(attachment.state, state);
      hub = !["attaching", "renewing", "detached"].includes(state);
      if (["lost", "gone", "replaced"].includes(event)) chrome.attached.clear(); // Chrome has ended the session
      if (event === "replaced") tab = chrome.openTab();
      if (AFTER[state][event]) unhold();
      attachment.handle(event, event === "excluded" ? { message: "Keep out.", hint: "" } : null);
      await idle();
      assert.equal(attachment.state, after);
      const session = ["attached", "in_use", "crashed"].includes(after);
      assert.equal(attachment.attached, session);
      if (AFTER[state][event]) assert.deepEqual([...chrome.attached], session ? [tab.id] : []);
    });
  }
}

for (const state of /** @type {State[]} */ (["attaching", "renewing", "reattaching", "resuming"])) {
  test(`${state}: an attempt that fails pauses the tab, and leaves no session`, async () => {
    await INTO[state]();
    letGo?.(new Error(FOREIGN));
    await idle();
    assert.equal(attachment.state, "paused");
    assert.match(String(attachment.cause?.message), /Another extension/);
    assert.deepEqual([...chrome.attached], []);
  });

  test(`${state}: what an attempt that was given up still does changes nothing`, async () => {
    await INTO[state]();
    attachment.handle("disconnect");
    letGo?.();
    await idle();
    assert.equal(attachment.state, "detached");
    assert.deepEqual([...chrome.attached], []);
  });
}

test("the first attempt starts the hub connection; one that fails on a page of the browser's rejects, and does not", async () => {
  tab.url = "chrome://settings/";
  chrome.refusals.set(tab.id, FORBIDDEN);
  await assert.rejects(attachment.connect(), { code: "forbidden_page" });
  assert.equal(attachment.state, "paused");
  assert.deepEqual(log, []);
  chrome.refusals.clear();
  attachment.handle("page_changed");
  await idle();
  assert.deepEqual(log, ["connect"]);
});

test("a session that Chrome ends is replaced, and the hub sets the page up anew", async () => {
  await INTO.in_use();
  log = [];
  chrome.attached.clear();
  attachment.handle("lost");
  await idle();
  assert.deepEqual(log, ["detached replaced", "connect", "attached"]);
});

test("a session that was made while the hub was there is renewed when the hub comes back", async () => {
  await INTO.in_use();
  chrome.attached.clear();
  attachment.handle("lost");
  await idle();
  const attaches = chrome.callsOf("debugger.attach").length;
  await attachment.prepareForHub();
  assert.equal(chrome.callsOf("debugger.attach").length, attaches + 1);
  assert.equal(attachment.state, "attached");
});

test("an unused session is kept for the hub that comes", async () => {
  await attachment.connect();
  await attachment.prepareForHub();
  assert.equal(chrome.callsOf("debugger.attach").length, 1);
});

test("the hub hears once why the tab is paused, and again when it comes back", async () => {
  await INTO.in_use();
  log = [];
  chrome.refusals.set(tab.id, FORBIDDEN);
  attachment.handle("excluded", { code: "other_extension", message: "A frame of another extension." });
  attachment.handle("page_changed");
  await idle();
  assert.deepEqual(log, ["detached foreign_frame"]);
  attachment.handle("hub_ready");
  assert.deepEqual(log, ["detached foreign_frame", "detached forbidden"]);
  chrome.refusals.clear();
  attachment.handle("page_changed");
  await idle();
  assert.deepEqual(log.slice(2), ["connect", "attached"]);
  assert.equal(attachment.cause, null);
});

test("a page that comes during an attempt is tried, though the page before it is refused", async () => {
  await INTO.resuming();
  const refuse = letGo;
  unhold();
  attachment.handle("page_changed");
  refuse?.(new Error(FOREIGN));
  await idle();
  assert.equal(attachment.state, "in_use");
  assert.deepEqual([...chrome.attached], [tab.id]);
});

test("a tab that the browser puts to sleep is paused until it shows a page", async () => {
  await INTO.in_use();
  log = [];
  chrome.attached.clear();
  tab = chrome.openTab({ discarded: true });
  attachment.replaced(true);
  await idle();
  assert.equal(attachment.state, "paused");
  assert.match(String(attachment.cause?.message), /to sleep/);
  assert.deepEqual(log, ["detached replaced"]);
  tab.discarded = false;
  attachment.handle("page_changed");
  await idle();
  assert.equal(attachment.state, "in_use");
});

test("a tab that was closed while the debugger was attaching waits to be told so", async () => {
  await INTO.in_use();
  log = [];
  chrome.attached.clear();
  chrome.open.delete(tab.id);
  attachment.handle("lost");
  await idle();
  assert.deepEqual(log, []);
  attachment.handle("gone");
  assert.equal(attachment.state, "detached");
});

test("a session that an earlier run of the worker left behind is replaced", async () => {
  chrome.attached.add(tab.id);
  await attachment.connect();
  assert.deepEqual(chrome.calls.map(([name]) => name).filter((name) => name.startsWith("debugger")), [
    "debugger.attach",
    "debugger.detach",
    "debugger.attach",
  ]);
});

test("Kapture's own pages are never attached to", async () => {
  tab.url = chrome.runtime.getURL("ui/popup.html");
  await assert.rejects(attachment.connect(), { code: "forbidden_page" });
  assert.deepEqual(chrome.callsOf("debugger.attach"), []);
});

test("a tab stays awake while it is connected, and may sleep when it is not", async () => {
  await attachment.connect();
  attachment.handle("disconnect");
  await idle();
  assert.deepEqual(chrome.callsOf("tabs.update").map(([, change]) => change), [{ autoDiscardable: false }, { autoDiscardable: true }]);
});
