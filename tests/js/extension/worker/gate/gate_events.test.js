// What the gate tells the hub of: events, dialogs and tools of documents inside and outside the grant.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Denied } from "../../../../../extension/worker/gate/access.js";
import { Gate } from "../../../../../extension/worker/gate/gate.js";
import { EVENTS, gateOf } from "../../../support/gate.js";
import { INSIDE, LEVELS, OUTSIDE, context, frame, gateAt, passes, seen } from "../../../support/gated_page.js";

test("outside the sites no event tells what is in the page, and the page's comings and goings are reported", () => {
  const gate = gateAt(OUTSIDE, "full");
  const silent = [
    ["Runtime.consoleAPICalled", { executionContextId: 1, args: [] }],
    ["Runtime.exceptionThrown", { exceptionDetails: { executionContextId: 1 } }],
    ["Log.entryAdded", { entry: {} }],
    ["DOM.childNodeInserted", {}],
    ["Page.screencastFrame", { data: "…" }],
    ["Network.webSocketFrameReceived", { requestId: "9" }],
  ];
  for (const [method, params] of silent) assert.equal(seen(gate, /** @type {string} */ (method), params), null);
  for (const method of ["Page.loadEventFired", "Page.lifecycleEvent", "Inspector.targetCrashed"]) {
    assert.notEqual(seen(gate, method, {}), null);
  }
});

test("a dialog outside the sites is reported without its words", () => {
  const opened = { url: OUTSIDE, type: "prompt", message: "your PIN?", defaultPrompt: "1234" };
  const params = seen(gateAt(OUTSIDE, "full"), "Page.javascriptDialogOpening", opened);
  assert.deepEqual(params, { ...opened, message: "", defaultPrompt: "" });
});

test("a request that the page waits for is let go on by the extension, where the hub may not see it", () => {
  const paused = { requestId: "r1", frameId: "main", resourceType: "XHR", request: { url: "https://bank.test/api" } };
  const { events, answer } = gateAt(OUTSIDE, "full").event("Fetch.requestPaused", paused, undefined);
  assert.deepEqual(events, []);
  assert.deepEqual(answer, { method: "Fetch.continueRequest", params: { requestId: "r1" } });
});

test("so is one of a granted page where the level has been lowered since the hub asked for it: it could not answer", () => {
  const paused = { requestId: "r1", frameId: "main", resourceType: "XHR", request: { url: `${INSIDE}api`, headers: {} } };
  assert.notEqual(seen(gateAt(INSIDE, "interact"), "Fetch.requestPaused", paused), null);
  const { events, answer } = gateAt(INSIDE, "read").event("Fetch.requestPaused", paused, undefined);
  assert.deepEqual(events, []);
  assert.deepEqual(answer, { method: "Fetch.continueRequest", params: { requestId: "r1" } });
});

test("an event that the table does not list needs any site, whoever's documents the tab shows", () => {
  assert.equal(seen(gateAt(INSIDE, "full"), "Media.playersCreated", { players: [] }), null);
  assert.notEqual(seen(gateAt(INSIDE, "full", ["*"]), "Media.playersCreated", { players: [] }), null);
});

test("that a page is paused is told of a granted one, without its call stack; another goes on", () => {
  const paused = { callFrames: [{ functionName: "secret" }], reason: "other" };
  assert.deepEqual(seen(gateAt(INSIDE, "full"), "Debugger.paused", paused), { callFrames: [], reason: "other" });
  const { events, answer } = gateAt(OUTSIDE, "full").event("Debugger.paused", paused, undefined);
  assert.deepEqual(events, []);
  assert.deepEqual(answer, { method: "Debugger.resume", params: {} });
});

test("the request for a granted page is reported while an ungranted one is still shown", () => {
  const gate = gateAt(OUTSIDE, "interact");
  const sent = { requestId: "d1", type: "Document", documentURL: INSIDE, frameId: "main", request: { url: INSIDE } };
  assert.notEqual(seen(gate, "Network.requestWillBeSent", sent), null);
  assert.notEqual(seen(gate, "Network.responseReceived", { requestId: "d1" }), null);
  const other = { requestId: "x1", type: "XHR", documentURL: OUTSIDE, frameId: "main", request: { url: INSIDE } };
  assert.equal(seen(gate, "Network.requestWillBeSent", other), null);
  assert.equal(seen(gate, "Network.responseReceived", { requestId: "x1" }), null);
});

test("requests of a page to other sites are reported with the page", () => {
  const gate = gateAt(INSIDE, "read");
  const sent = { requestId: "c1", type: "Fetch", documentURL: INSIDE, frameId: "main", request: { url: "https://cdn.test/x.js" } };
  assert.notEqual(seen(gate, "Network.requestWillBeSent", sent), null);
});

test("the history tells of other sites no more than where they are", () => {
  const entries = [
    { id: 1, url: `${OUTSIDE}account?token=1`, userTypedURL: `${OUTSIDE}account`, title: "Your money" },
    { id: 2, url: `${INSIDE}cart`, userTypedURL: `${INSIDE}cart`, title: "Cart" },
  ];
  const gate = gateAt(INSIDE, "interact");
  const history = gate.result("Page.getNavigationHistory", { currentIndex: 1, entries }, undefined);
  assert.deepEqual(history.entries, [{ id: 1, url: OUTSIDE, userTypedURL: OUTSIDE, title: "" }, entries[1]]);
  assert.throws(() => gate.historyMove(entries, 1), Denied);
  gate.historyMove(entries, 2);
});

test("a download, and a file chooser, are told of where a granted document began them", () => {
  const gate = gateAt(INSIDE, "interact");
  gate.event("Page.frameAttached", { frameId: "ad", parentFrameId: "main" }, undefined);
  gate.event("Page.frameNavigated", { frame: frame("ad", OUTSIDE, "main") }, undefined);
  for (const [frameId, guid, told] of [["main", "g1", true], ["ad", "g2", false], [undefined, "g3", false]]) {
    assert.equal(seen(gate, "Page.downloadWillBegin", { frameId, guid, url: INSIDE }) !== null, told);
    assert.equal(seen(gate, "Page.downloadProgress", { guid, state: "inProgress" }) !== null, told);
    assert.equal(seen(gate, "Page.fileChooserOpened", { frameId, mode: "selectSingle" }) !== null, told);
  }
  seen(gate, "Page.downloadWillBegin", { frameId: "main", url: INSIDE });
  seen(gate, "WebMCP.toolInvoked", { frameId: "main" });
  for (const guid of ["never seen", undefined]) assert.equal(seen(gate, "Page.downloadProgress", { guid, state: "completed" }), null);
  assert.equal(seen(gate, "WebMCP.toolResponded", { output: "x" }), null);
});

test("the latest thousand downloads are remembered", () => {
  const gate = gateAt(INSIDE, "interact");
  for (let at = 0; at <= 1_000; at += 1) gate.event("Page.downloadWillBegin", { frameId: "main", guid: `g${at}` }, undefined);
  assert.equal(seen(gate, "Page.downloadProgress", { guid: "g0" }), null);
  assert.notEqual(seen(gate, "Page.downloadProgress", { guid: "g1" }), null);
});

/** @param {Gate} gate @param {object} params */
function dialogIs(gate, params) {
  gate.event("Page.javascriptDialogOpening", { type: "prompt", message: "", ...params }, undefined);
}

test("a dialog of a granted page is accepted at interact, and dismissed at every level", () => {
  for (const level of LEVELS) {
    const gate = gateAt(INSIDE, level);
    dialogIs(gate, { url: INSIDE, frameId: "main" });
    assert.equal(passes(gate, "Page.handleJavaScriptDialog", { accept: true, promptText: "a" }), level !== "read");
    assert.equal(passes(gate, "Page.handleJavaScriptDialog", { accept: false }), true);
  }
});

test("a dialog of an ungranted page is dismissed without text, and nothing else", () => {
  const inside = () => {
    const gate = gateAt(INSIDE, "full");
    gate.event("Page.frameAttached", { frameId: "ad", parentFrameId: "main" }, undefined);
    gate.event("Page.frameNavigated", { frame: frame("ad", OUTSIDE, "main") }, undefined);
    return gate;
  };
  /** @type {[Gate, object][]} */
  const dialogs = [
    [gateAt(OUTSIDE, "full"), { url: OUTSIDE, frameId: "main" }],
    [inside(), { url: OUTSIDE, frameId: "ad" }],
    [inside(), { url: OUTSIDE }], // reported in the session of the granted page around it
    [inside(), { url: "about:blank" }],
    [inside(), { url: OUTSIDE, frameId: "never heard of" }],
    [inside(), { url: "" }],
    [inside(), {}],
  ];
  for (const [gate, opened] of dialogs) {
    const { events } = gate.event("Page.javascriptDialogOpening", { ...opened, type: "prompt", message: "PIN?" }, undefined);
    assert.deepEqual(events.map(({ params }) => params.message), [""]);
    for (const answer of [{ accept: true }, { accept: true, promptText: "x" }, { accept: false, promptText: "x" }]) {
      assert.equal(passes(gate, "Page.handleJavaScriptDialog", answer), false, JSON.stringify([opened, answer]));
    }
    assert.equal(passes(gate, "Page.handleJavaScriptDialog", { accept: false }), true);
  }
});

test("messages of a context of another origin do not pass while its frame still shows a granted document", () => {
  const gate = gateAt(INSIDE, "full");
  gate.event("Runtime.executionContextCreated", { context: context(7, "main", OUTSIDE) }, undefined);
  const logged = (/** @type {number} */ executionContextId) =>
    seen(gate, "Runtime.consoleAPICalled", { executionContextId, type: "log", args: [] });
  assert.notEqual(logged(1), null);
  assert.equal(logged(7), null);
});

test("a dialog that names no frame belongs to its address", () => {
  const opened = { url: INSIDE, type: "prompt", message: "your name?", defaultPrompt: "" };
  assert.deepEqual(seen(gateAt(INSIDE, "read"), "Page.javascriptDialogOpening", opened), opened);
});

test("a dialog that nobody has heard of, or that is closed, is not accepted", () => {
  const gate = gateAt(INSIDE, "full");
  assert.equal(passes(gate, "Page.handleJavaScriptDialog", { accept: true }), false);
  dialogIs(gate, { url: INSIDE, frameId: "main" });
  gate.event("Page.javascriptDialogClosed", {}, undefined);
  assert.equal(passes(gate, "Page.handleJavaScriptDialog", { accept: true }), false);
});

test("that a page stands still is reported without its call stack", () => {
  const paused = { reason: "other", callFrames: [{ url: "https://bank.test/x.js", scopeChain: [] }] };
  const { events } = gateOf(EVENTS).event("Debugger.paused", paused, undefined);
  assert.deepEqual(events, [{ method: "Debugger.paused", params: { callFrames: [], reason: "other" } }]);
});

test("when the frame of another site has gone, what only the session says is reported again", () => {
  const gate = gateOf(EVENTS);
  const entry = { entry: { source: "other", level: "info", text: "see https://bank.test/private?token=1" } };
  assert.deepEqual(gate.event("Log.entryAdded", entry, undefined).events, []);
  gate.event("Page.frameDetached", { frameId: "B", reason: "remove" }, undefined);
  const { events } = gate.event("Log.entryAdded", entry, undefined);
  assert.equal(events[0].params.entry.text, "see https://bank.test/");
});

test("entries that the browser repeats may be of documents that are gone: they pass on a grant of any site only", () => {
  const entry = { entry: { source: "security", level: "error", text: "of whom?" } };
  for (const [sites, repeated] of /** @type {[string[], boolean][]} */ ([[["shop.example"], false], [["*"], true]])) {
    const gate = gateAt(INSIDE, "full", sites);
    gate.command("Log.enable", {}, undefined);
    assert.equal(seen(gate, "Log.entryAdded", entry) !== null, repeated);
    gate.result("Log.enable", {}, undefined);
    assert.notEqual(seen(gate, "Log.entryAdded", entry), null);
  }
});

test("tools that documents outside the grant declare do not pass, nor their answers", () => {
  const gate = gateAt(INSIDE, "interact");
  gate.event("Page.frameAttached", { frameId: "child", parentFrameId: "main" }, undefined);
  gate.event("Page.frameNavigated", { frame: frame("child", OUTSIDE, "main") }, undefined);
  const tool = (/** @type {string} */ name, /** @type {string} */ frameId) => ({ name, frameId });
  const added = seen(gate, "WebMCP.toolsAdded", { tools: [tool("mine", "main"), tool("theirs", "child")] });
  assert.deepEqual(added, { tools: [tool("mine", "main")] });
  assert.equal(seen(gate, "WebMCP.toolsRemoved", { tools: [tool("theirs", "child")] }), null);
  assert.equal(passes(gate, "WebMCP.invokeTool", { frameId: "child", toolName: "theirs", input: {} }), false);
  for (const [frameId, invocationId, passed] of [["main", "i1", true], ["child", "i2", false]]) {
    gate.event("WebMCP.toolInvoked", { frameId, invocationId, toolName: "x", input: "{}" }, undefined);
    assert.equal(seen(gate, "WebMCP.toolResponded", { invocationId, status: "Completed", output: 1 }) !== null, passed);
  }
  assert.equal(seen(gate, "WebMCP.toolResponded", { invocationId: "never seen", status: "Completed" }), null);
});

test("an answer that a tool gives after its page went out of the grant does not pass", () => {
  const gate = gateAt(INSIDE, "interact");
  gate.event("WebMCP.toolInvoked", { frameId: "main", invocationId: "i1", toolName: "leave", input: "{}" }, undefined);
  gate.event("Page.frameNavigated", { frame: frame("main", OUTSIDE) }, undefined);
  assert.equal(seen(gate, "WebMCP.toolResponded", { invocationId: "i1", status: "Completed", output: [1] }), null);
});
