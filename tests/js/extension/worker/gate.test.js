import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Access, Denied } from "../../../../extension/worker/access.js";
import { Gate } from "../../../../extension/worker/gate.js";
import { PAGE_SCRIPTS, PAGE_TOOLS_SCRIPT } from "../../../../extension/worker/page_scripts.js";
import { RANK } from "../../../../extension/worker/rules.js";
import { EVENTS, gateOf } from "../../support/gate.js";

/** @typedef {import("../../../../extension/worker/rules.js").Level} Level */

const INSIDE = "https://shop.example/";
const OUTSIDE = "https://bank.test/";
const LEVELS = /** @type {Level[]} */ (Object.keys(RANK));

/** @param {string} url @param {Level} level @param {string[]} [sites] */
function gateAt(url, level, sites = ["shop.example"]) {
  const gate = new Gate(new Access({ sites, level }));
  gate.result("Page.getFrameTree", { frameTree: { frame: frame("main", url) } }, undefined);
  gate.event("Runtime.executionContextCreated", { context: context(1, "main", url) }, undefined);
  gate.event("Runtime.executionContextCreated", { context: context(2, "main", url, "kapture") }, undefined);
  return gate;
}

/** @param {string} id @param {string} url @param {string} [parentId] */
function frame(id, url, parentId) {
  const origin = /^https?:/.test(url) ? new URL(url).origin : "://";
  return { id, url, securityOrigin: origin, ...(parentId ? { parentId } : {}) };
}

/** @param {number} id @param {string} frameId @param {string} url @param {string} [world] */
function context(id, frameId, url, world) {
  const origin = /^https?:/.test(url) ? new URL(url).origin : "://";
  return { id, uniqueId: `u${id}`, name: world ?? "", origin: world ? "" : origin, auxData: { frameId, isDefault: !world } };
}

/** @param {Gate} gate @param {string} method @param {any} [params] @param {string} [session] */
function passes(gate, method, params = {}, session) {
  try {
    gate.command(method, params, session);
    return true;
  } catch (error) {
    assert(error instanceof Denied);
    assert.equal(error.code, "POLICY_DENIED");
    assert(error.message);
    return false;
  }
}

/**
 * @param {Gate} gate
 * @param {string} method
 * @param {any} params
 * @param {string} [session]
 * @returns {any} what passes of an event; null when it does not
 */
function seen(gate, method, params, session) {
  return gate.event(method, params, session).events.at(-1)?.params ?? null;
}

/** @type {[string, any, Level][]} a command, and the level it needs inside the grant */
const NEEDS = [
  ["DOM.describeNode", {}, "read"],
  ["Page.captureScreenshot", {}, "read"],
  ["Page.printToPDF", {}, "read"],
  ["Runtime.evaluate", { expression: "1", uniqueContextId: "u2" }, "read"],
  ["Runtime.evaluate", { expression: "1", contextId: 2 }, "read"],
  ["Runtime.callFunctionOn", { functionDeclaration: "f", executionContextId: 2 }, "read"],
  ["Runtime.callFunctionOn", { functionDeclaration: "f", objectId: "-12.2.7" }, "read"],
  ["Input.dispatchMouseEvent", { type: "mousePressed" }, "interact"],
  ["Input.insertText", { text: "a" }, "interact"],
  ["DOM.setFileInputFiles", { files: [] }, "interact"],
  ["Page.navigate", { url: INSIDE }, "interact"],
  ["Page.reload", {}, "interact"],
  ["Fetch.enable", {}, "interact"],
  ["Emulation.setLocaleOverride", {}, "interact"],
  ["Runtime.evaluate", { expression: "1" }, "full"],
  ["Runtime.evaluate", { expression: "1", uniqueContextId: "u1" }, "full"],
  ...[...PAGE_SCRIPTS].flatMap((expression) => /** @type {[string, any, Level][]} */ ([
    ["Runtime.evaluate", { expression, uniqueContextId: "u1" }, "read"],
    ["Runtime.evaluate", { expression: `${expression};1`, uniqueContextId: "u1" }, "full"],
  ])),
  ["Runtime.callFunctionOn", { functionDeclaration: "f", objectId: "-12.1.7" }, "full"],
  ["Network.getCookies", { urls: [INSIDE] }, "full"],
  ["Debugger.enable", {}, "full"],
  ["Fetch.fulfillRequest", { requestId: "1" }, "full"],
];

const call = (/** @type {string} */ argument) => ({ expression: `${PAGE_TOOLS_SCRIPT}(${argument})`, uniqueContextId: "u1" });
NEEDS.push(
  ["WebMCP.invokeTool", { frameId: "main", toolName: "add", input: {} }, "interact"],
  ["WebMCP.cancelInvocation", { invocationId: "i" }, "interact"],
  ["Runtime.evaluate", call('""'), "read"],
  ["Runtime.evaluate", call('"{\\"name\\":\\"add\\"}"'), "interact"],
  ["Runtime.evaluate", call('""+steal()'), "full"],
  ["Runtime.evaluate", call('"")+steal("'), "full"],
  ["Runtime.evaluate", call("{}"), "full"],
);

for (const [method, params, need] of NEEDS) {
  for (const level of LEVELS) {
    const allowed = RANK[level] >= RANK[need];
    test(`${method} ${JSON.stringify(params)} ${allowed ? "passes" : "is refused"} at ${level}`, () => {
      assert.equal(passes(gateAt(INSIDE, level), method, params), allowed);
    });
  }
  if (method !== "Page.navigate") {
    test(`${method} ${JSON.stringify(params)} is refused outside the sites at every level`, () => {
      for (const level of LEVELS) assert.equal(passes(gateAt(OUTSIDE, level), method, params), false);
    });
  }
}

test("what reaches beyond the tab never passes", () => {
  const gate = gateAt(INSIDE, "full", ["*"]);
  for (const method of ["Target.createTarget", "Target.attachToTarget", "Target.exposeDevToolsProtocol", "Browser.close"]) {
    assert.equal(passes(gate, method), false);
  }
});

test("outside the sites only bookkeeping, dialogs and ways back pass", () => {
  for (const level of /** @type {Level[]} */ (["interact", "full"])) {
    const gate = gateAt(OUTSIDE, level);
    const free = ["Page.enable", "Runtime.enable", "Network.enable", "Target.setAutoAttach", "Page.handleJavaScriptDialog"];
    for (const method of free) assert.equal(passes(gate, method), true);
    assert.equal(passes(gate, "Page.navigate", { url: INSIDE }), true);
    assert.equal(passes(gate, "Page.navigate", { url: "https://other.test/" }), false);
    assert.equal(passes(gate, "Page.navigate", { url: "about:blank" }), true);
    assert.equal(passes(gate, "Page.navigate", { url: "javascript:alert(1)" }), false);
    assert.equal(passes(gate, "Page.navigate", { url: " JAVASCRIPT:alert(1)" }), false);
    assert.equal(passes(gate, "Page.navigate", { url: "data:text/html,x" }), false);
    assert.equal(passes(gate, "Page.navigate", { url: 7 }), false);
  }
});

test("javascript: is code, and needs full inside the sites too", () => {
  assert.equal(passes(gateAt(INSIDE, "interact"), "Page.navigate", { url: "javascript:alert(1)" }), false);
  assert.equal(passes(gateAt(INSIDE, "full"), "Page.navigate", { url: "javascript:alert(1)" }), true);
});

test("Kapture's own pages and the browser's are closed to every grant", () => {
  for (const url of ["chrome-extension://jjllhgagajepglkofmhapipikepcofkp/ui/popup.html", "chrome://settings/"]) {
    assert.equal(passes(gateAt(INSIDE, "full", ["*"]), "Page.navigate", { url }), false);
  }
  const gate = gateAt("chrome-extension://jjllhgagajepglkofmhapipikepcofkp/ui/popup.html", "full", ["*"]);
  assert.equal(passes(gate, "DOM.describeNode"), false);
  assert.equal(passes(gate, "Runtime.evaluate", { expression: "1" }), false);
});

test("any site does not mean the files of this computer", () => {
  assert.equal(passes(gateAt("file:///home/me/diary.html", "full", ["*"]), "DOM.describeNode"), false);
  assert.equal(passes(gateAt(INSIDE, "full", ["*"]), "Page.navigate", { url: "file:///etc/passwd" }), false);
  assert.equal(passes(gateAt("file:///home/me/diary.html", "read", ["file://"]), "DOM.describeNode"), true);
});

test("with any site granted, frames and workers that nobody has heard of pass", () => {
  const gate = gateAt(INSIDE, "full", ["*"]);
  assert.equal(passes(gate, "Runtime.evaluate", { expression: "1" }, "a worker"), true);
  assert.notEqual(seen(gate, "Runtime.consoleAPICalled", { executionContextId: 99 }, "a worker"), null);
});

test("an empty new tab may be driven", () => {
  assert.equal(passes(gateAt("about:blank", "interact"), "Page.captureScreenshot"), true);
});

test("a blank page that a site wrote belongs to that site", () => {
  const gate = gateAt("about:blank", "full");
  gate.event("Page.frameNavigated", { frame: { ...frame("main", "about:blank"), securityOrigin: "https://bank.test" } }, undefined);
  assert.equal(passes(gate, "Page.captureScreenshot"), false);
});

test("a data: page belongs to the page that was there before", () => {
  const gate = gateAt(OUTSIDE, "full");
  gate.event("Page.frameNavigated", { frame: frame("main", "data:text/html,secret") }, undefined);
  assert.equal(passes(gate, "DOM.describeNode"), false);
});

test("a page that could not be loaded belongs to the address that was asked for", () => {
  const gate = gateAt(INSIDE, "read");
  const failed = { ...frame("main", "chrome-error://chromewebdata/"), unreachableUrl: "https://shop.example/gone" };
  gate.event("Page.frameNavigated", { frame: failed }, undefined);
  assert.equal(passes(gate, "Page.captureScreenshot"), true);
});

test("a navigation out of the grant closes the page at once, a navigation back opens it", () => {
  const gate = gateAt(INSIDE, "full");
  assert.equal(passes(gate, "DOM.describeNode"), true);
  gate.event("Page.frameNavigated", { frame: frame("main", OUTSIDE) }, undefined);
  assert.equal(passes(gate, "DOM.describeNode"), false);
  gate.event("Page.frameNavigated", { frame: frame("main", INSIDE) }, undefined);
  assert.equal(passes(gate, "DOM.describeNode"), true);
});

test("an answer that arrives after the page has changed hands is not given", () => {
  const gate = gateAt(INSIDE, "full");
  gate.command("Page.captureScreenshot", {}, undefined);
  gate.event("Page.frameNavigated", { frame: frame("main", OUTSIDE) }, undefined);
  assert.throws(() => gate.result("Page.captureScreenshot", { data: "secret" }, undefined), Denied);
});

test("a frame of another site inside a granted page stays closed, its agent too", () => {
  const gate = gateAt(INSIDE, "full");
  gate.event("Page.frameAttached", { frameId: "ad", parentFrameId: "main" }, undefined);
  gate.event("Page.frameNavigated", { frame: frame("ad", OUTSIDE, "main") }, undefined);
  gate.event("Runtime.executionContextCreated", { context: context(3, "ad", OUTSIDE) }, undefined);
  gate.event("Runtime.executionContextCreated", { context: context(4, "ad", OUTSIDE, "kapture") }, undefined);
  for (const uniqueContextId of ["u3", "u4"]) assert.equal(passes(gate, "Runtime.evaluate", { uniqueContextId }), false);
  assert.equal(passes(gate, "Runtime.evaluate", { uniqueContextId: "u2" }), true);
  const logged = { executionContextId: 3, type: "log", args: [{ value: "secret" }] };
  assert.equal(seen(gate, "Runtime.consoleAPICalled", logged), null);
});

test("blank and srcdoc frames belong to the page around them", () => {
  const gate = gateAt(INSIDE, "read");
  gate.event("Page.frameAttached", { frameId: "f", parentFrameId: "main" }, undefined);
  for (const url of ["about:blank", "about:srcdoc"]) {
    gate.event("Page.frameNavigated", { frame: frame("f", url, "main") }, undefined);
    gate.event("Runtime.executionContextCreated", { context: context(5, "f", url, "kapture") }, undefined);
    assert.equal(passes(gate, "Runtime.evaluate", { contextId: 5 }), true);
  }
});

test("a frame in another process is judged by its own site", () => {
  const gate = gateAt(INSIDE, "full");
  /** @param {string} sessionId @param {string} url */
  const attach = (sessionId, url) =>
    gate.event("Target.attachedToTarget", { sessionId, targetInfo: { targetId: `t-${sessionId}`, type: "iframe", url } }, undefined);
  attach("in", "https://shop.example/frame");
  attach("out", OUTSIDE);
  assert.equal(passes(gate, "DOM.describeNode", {}, "in"), true);
  assert.equal(passes(gate, "DOM.describeNode", {}, "out"), false);
  assert.equal(passes(gate, "DOM.describeNode", {}, "never seen"), false);
  assert.equal(seen(gate, "Runtime.consoleAPICalled", { args: [] }, "out"), null);
  gate.event("Target.detachedFromTarget", { sessionId: "in" }, undefined);
  assert.equal(passes(gate, "DOM.describeNode", {}, "in"), false);
});

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

test("the request for a granted page is reported while an ungranted one is still shown", () => {
  const gate = gateAt(OUTSIDE, "interact");
  const sent = { requestId: "d1", type: "Document", documentURL: INSIDE, frameId: "main", request: { url: INSIDE } };
  assert.notEqual(seen(gate, "Network.requestWillBeSent", sent), null);
  assert.notEqual(seen(gate, "Network.responseReceived", { requestId: "d1" }), null);
  const other = { requestId: "x1", type: "XHR", documentURL: OUTSIDE, frameId: "main", request: { url: INSIDE } };
  assert.equal(seen(gate, "Network.requestWillBeSent", other), null);
  assert.equal(seen(gate, "Network.responseReceived", { requestId: "x1" }), null);
});

test("what a page asks of other sites is reported with the page", () => {
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

test("cookies of other sites are left out, and cannot be set, asked for or all cleared", () => {
  const gate = gateAt(INSIDE, "full");
  const cookies = [{ domain: ".shop.example" }, { domain: "bank.test" }, { domain: "pay.shop.example" }];
  assert.deepEqual(gate.result("Network.getCookies", { cookies }, undefined).cookies, [cookies[0], cookies[2]]);
  for (const method of ["Network.getAllCookies", "Storage.getCookies"]) assert.equal(passes(gate, method), false);
  assert.equal(passes(gate, "Network.getCookies", { urls: [INSIDE] }), true);
  assert.equal(passes(gate, "Network.getCookies", { urls: [INSIDE, OUTSIDE] }), false);
  assert.equal(passes(gate, "Network.setCookie", { name: "a", value: "b", domain: ".bank.test" }), false);
  assert.equal(passes(gate, "Network.setCookie", { name: "a", value: "b", url: INSIDE }), true);
  assert.equal(passes(gate, "Network.setCookies", { cookies: [{ name: "a", url: OUTSIDE }] }), false);
  assert.equal(passes(gate, "Network.clearBrowserCookies"), false);
  assert.equal(passes(gate, "Storage.clearDataForOrigin", { origin: "https://bank.test" }), false);
  assert.equal(passes(gateAt(INSIDE, "full", ["*"]), "Network.clearBrowserCookies"), true);
});

test("a script for every later document needs any site, unless it is the agent in its own world", () => {
  const agent = { source: "…", worldName: "kapture", runImmediately: true };
  assert.equal(passes(gateAt(INSIDE, "read"), "Page.addScriptToEvaluateOnNewDocument", agent), true);
  const own = { source: "…" };
  assert.equal(passes(gateAt(INSIDE, "full"), "Page.addScriptToEvaluateOnNewDocument", own), false);
  assert.equal(passes(gateAt(INSIDE, "interact", ["*"]), "Page.addScriptToEvaluateOnNewDocument", own), false);
  assert.equal(passes(gateAt(INSIDE, "full", ["*"]), "Page.addScriptToEvaluateOnNewDocument", own), true);
});

test("a page cannot pass for the agent by naming a context like its world", () => {
  const gate = gateAt(INSIDE, "read");
  const forged = { ...context(8, "main", INSIDE), name: "kapture" };
  gate.event("Runtime.executionContextCreated", { context: forged }, undefined);
  assert.equal(passes(gate, "Runtime.evaluate", { contextId: 8 }), false);
});

test("a context that is gone is not the agent's any more", () => {
  const gate = gateAt(INSIDE, "read");
  gate.event("Runtime.executionContextsCleared", {}, undefined);
  assert.equal(passes(gate, "Runtime.evaluate", { uniqueContextId: "u2" }), false);
});

test("a changed grant holds from the next command on", () => {
  const gate = gateAt(INSIDE, "full");
  gate.access.grant = { sites: ["other.test"], level: "full" };
  assert.equal(passes(gate, "DOM.describeNode"), false);
  gate.access.grant = { sites: ["shop.example"], level: "read" };
  assert.equal(passes(gate, "DOM.describeNode"), true);
  assert.equal(passes(gate, "Input.insertText"), false);
});

test("what is allowed once lets through what is sent for that call, and nothing else", () => {
  const gate = gateAt(OUTSIDE, "read");
  gate.access.allowOnce("run.1", { sites: ["bank.test"], level: "read" });
  const read = (/** @type {string | undefined} */ call, method = "DOM.describeNode") =>
    gate.access.checking(call, () => passes(gate, method));
  assert.equal(read("run.1"), true);
  assert.equal(read("run.1", "Input.insertText"), false);
  assert.equal(read("run.2"), false);
  assert.equal(read(undefined), false);
  gate.access.ended("run.2");
  assert.equal(read("run.1"), true);
  gate.access.ended("run.1");
  assert.equal(read("run.1"), false);
});

test("a call without a name is allowed nothing once", () => {
  const gate = gateAt(OUTSIDE, "read");
  gate.access.allowOnce("", { sites: ["bank.test"], level: "read" });
  assert.equal(gate.access.checking(undefined, () => passes(gate, "DOM.describeNode")), false);
  assert.equal(gate.access.allows(OUTSIDE), false);
});

/** @type {Gate} */
let interact;
beforeEach(() => (interact = gateAt(INSIDE, "interact")));

test("of the browser's commands only the known ones pass, to granted addresses", () => {
  interact.wireCommand("tab_new", { url: INSIDE });
  interact.wireCommand("tab_new", {});
  interact.wireCommand("tab_close", {});
  interact.wireCommand("download", { action: "start", url: `${INSIDE}a.pdf` });
  for (const [command, params] of /** @type {[string, any][]} */ ([
    ["tab_new", { url: OUTSIDE }],
    ["tab_new", { url: "chrome://settings" }],
    ["tab_new", { url: "javascript:1" }],
    ["download", { action: "start", url: OUTSIDE }],
    ["eval", {}],
    ["constructor", {}],
  ])) {
    assert.throws(() => interact.wireCommand(command, params), Denied);
  }
});

test("a tab connected for reading opens, closes and downloads nothing", () => {
  const read = gateAt(INSIDE, "read");
  for (const command of ["tab_new", "tab_close", "tab_activate", "tab_leave", "download"]) {
    assert.throws(() => read.wireCommand(command, {}), Denied);
  }
});

test("a denial says what to ask for", () => {
  assert.throws(() => interact.command("Runtime.evaluate", { expression: "1" }, undefined), {
    data: { ask: { sites: ["shop.example"], level: "full" } },
  });
  assert.throws(() => gateAt(OUTSIDE, "interact").command("DOM.describeNode", {}, undefined), {
    data: { site: "bank.test", ask: { sites: ["bank.test"], level: "read" } },
  });
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

test("a dialog that nobody has heard of, or that is closed, is not accepted", () => {
  const gate = gateAt(INSIDE, "full");
  assert.equal(passes(gate, "Page.handleJavaScriptDialog", { accept: true }), false);
  dialogIs(gate, { url: INSIDE, frameId: "main" });
  gate.event("Page.javascriptDialogClosed", {}, undefined);
  assert.equal(passes(gate, "Page.handleJavaScriptDialog", { accept: true }), false);
});

test("documents outside the grant can be told to refuse input, and nothing else", () => {
  const gate = gateAt(OUTSIDE, "interact");
  /** @param {string} expression @param {string} uniqueContextId */
  const runs = (expression, uniqueContextId = "u2") => passes(gate, "Runtime.evaluate", { expression, uniqueContextId });
  for (const name of ["refuseInput", "acceptInput"]) {
    assert.equal(runs(`kapture.run("${name}",{},0,7)`), true);
    assert.equal(runs(`kapture.run("${name}",{},0,7)`, "u1"), false, "only in the agent's world");
    assert.equal(runs(`kapture.run("${name}",{},0,7);document.body.innerText`), false);
    assert.equal(runs(`kapture.run("${name}",{x:document.title},0,7)`), false);
  }
  assert.equal(runs('kapture.run("snapshot",{},0,7)'), false);
  const read = { expression: 'kapture.run("refuseInput",{},0,7)', uniqueContextId: "u2" };
  assert.equal(passes(gateAt(OUTSIDE, "read"), "Runtime.evaluate", read), false);
});

test("outside the grant the agent may say which system the browser runs on, which is what a page is set up with", () => {
  const gate = gateAt(OUTSIDE, "read");
  /** @param {string} expression @param {string} uniqueContextId */
  const runs = (expression, uniqueContextId = "u2") => passes(gate, "Runtime.evaluate", { expression, uniqueContextId });
  assert.equal(runs('kapture.run("platform",{},0,7)'), true);
  assert.equal(runs('kapture.run("platform",{},0,7)', "u1"), false, "only in the agent's world");
  assert.equal(runs('kapture.run("platform",{},0,7);document.body.innerText'), false);
  assert.equal(runs('kapture.run("platform",{x:document.title},0,7)'), false);
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
