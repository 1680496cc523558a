import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Denied } from "../../../../../extension/worker/gate/access.js";
import { CDP_RULES } from "../../../../../extension/worker/gate/cdp_rules.js";
import { Gate } from "../../../../../extension/worker/gate/gate.js";
import { PAGE_SCRIPTS, PAGE_TOOLS_SCRIPT } from "../../../../../extension/worker/gate/page_scripts.js";
import { RANK } from "../../../../../extension/worker/gate/rules.js";
import { INSIDE, LEVELS, OUTSIDE, gateAt, passes, seen } from "../../../support/gated_page.js";

/** @typedef {import("../../../../../extension/worker/gate/rules.js").Level} Level */

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
  ["Emulation.setLocaleOverride", { locale: "de-DE" }, "interact"],
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

test("commands that reach beyond the tab never pass", () => {
  const gate = gateAt(INSIDE, "full", ["*"]);
  for (const method of ["Target.createTarget", "Target.attachToTarget", "Target.exposeDevToolsProtocol", "Browser.close", "Emulation.setVirtualTimePolicy"]) {
    assert.equal(passes(gate, method), false);
  }
});

test("an operation can be ended after the grant was narrowed", () => {
  /** @type {[string, any][]} */
  const ends = [
    ["Runtime.releaseObjectGroup", { objectGroup: "kapture-nothing" }],
    ["Runtime.terminateExecution", {}],
    ["Debugger.resume", { terminateOnResume: true }],
    ["Debugger.disable", {}],
    ["Fetch.disable", {}],
    ["Page.stopLoading", {}],
    ["Page.stopScreencast", {}],
    ["Page.setInterceptFileChooserDialog", { enabled: false }],
    ["Emulation.clearDeviceMetricsOverride", {}],
    ["Overlay.hideHighlight", {}],
  ];
  for (const gate of [gateAt(INSIDE, "read"), gateAt(OUTSIDE, "full")]) {
    for (const [method, params] of ends) assert.equal(passes(gate, method, params), true, method);
    for (const action of ["cancel", "remove"]) assert.doesNotThrow(() => gate.wireCommand("download", { action, id: 1 }));
  }
});

test("settings can be undone when the person has narrowed the grant meanwhile, and not be made", () => {
  for (const gate of [gateAt(INSIDE, "read"), gateAt(OUTSIDE, "full")]) {
    for (const { method, params } of Object.values(CDP_RULES.undo)) assert.equal(passes(gate, method, params), true, method);
    /** @type {[string, any][]} */
    const made = [
      ["Emulation.setUserAgentOverride", { userAgent: "another" }],
      ["Emulation.setEmulatedMedia", { media: "", features: [{ name: "prefers-color-scheme", value: "dark" }] }],
      ["Emulation.setLocaleOverride", { locale: "de-DE" }],
      ["Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }],
      ["Network.setExtraHTTPHeaders", { headers: { x: "1" } }],
      ["Page.setBypassCSP", { enabled: true }],
    ];
    for (const [method, params] of made) assert.equal(passes(gate, method, params), false, method);
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
  for (const url of ["javascript:alert(1)", "java\tscript:alert(1)", "\u0001javascript:alert(1)"]) {
    assert.equal(passes(gateAt(INSIDE, "interact"), "Page.navigate", { url }), false);
    assert.equal(passes(gateAt(INSIDE, "full"), "Page.navigate", { url }), true);
  }
});

test("a data: URL holds code of the client's, and needs full to be opened", () => {
  for (const url of ["data:text/html,<script>1</script>", " DATA:text/html,x", "da\nta:text/html,x", "\u0001data:text/html,x"]) {
    for (const level of /** @type {Level[]} */ (["interact", "full"])) {
      const gate = gateAt(INSIDE, level);
      assert.equal(passes(gate, "Page.navigate", { url }), level === "full");
      const open = () => gate.wireCommand("tab_new", { url });
      if (level === "full") assert.doesNotThrow(open);
      else assert.throws(open, Denied);
      assert.doesNotThrow(() => gate.wireCommand("download", { url }));
    }
  }
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

test("a changed grant holds from the next command on", () => {
  const gate = gateAt(INSIDE, "full");
  gate.access.grant = { sites: ["other.test"], level: "full" };
  assert.equal(passes(gate, "DOM.describeNode"), false);
  gate.access.grant = { sites: ["shop.example"], level: "read" };
  assert.equal(passes(gate, "DOM.describeNode"), true);
  assert.equal(passes(gate, "Input.insertText"), false);
});

/** @type {Gate} */
let interact;
beforeEach(() => (interact = gateAt(INSIDE, "interact")));

test("only known browser commands pass, to granted addresses", () => {
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

test("keys that paste the person's clipboard need the level full", () => {
  const pasting = [
    { type: "rawKeyDown", key: "v", code: "KeyV", windowsVirtualKeyCode: 86, modifiers: 2 },
    { type: "keyDown", key: "V", modifiers: 4 | 8 },
    { type: "keyDown", windowsVirtualKeyCode: 86, modifiers: 2 | 8 },
    { type: "keyDown", code: "Insert", modifiers: 8 },
    { type: "keyDown", key: "a", commands: ["pasteAndMatchStyle"] },
    { type: "keyDown", key: "Paste" },
  ];
  for (const params of pasting) {
    assert.throws(() => gateAt(INSIDE, "interact").command("Input.dispatchKeyEvent", params, undefined), /clipboard/);
    assert.equal(passes(gateAt(INSIDE, "full"), "Input.dispatchKeyEvent", params), true);
  }
  const others = [
    { type: "keyDown", key: "v", code: "KeyV", windowsVirtualKeyCode: 86, text: "v" },
    { type: "keyUp", key: "v", code: "KeyV", modifiers: 2 },
    { type: "keyDown", key: "Insert", code: "Insert", windowsVirtualKeyCode: 45 },
    { type: "rawKeyDown", key: "c", code: "KeyC", windowsVirtualKeyCode: 67, modifiers: 2, commands: ["copy"] },
  ];
  for (const params of others) assert.equal(passes(gateAt(INSIDE, "interact"), "Input.dispatchKeyEvent", params), true);
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
  const reading = gateAt(OUTSIDE, "read");
  const atRead = (/** @type {string} */ name) =>
    passes(reading, "Runtime.evaluate", { expression: `kapture.run("${name}",{},0,7)`, uniqueContextId: "u2" });
  assert.equal(atRead("refuseInput"), false);
  assert.equal(atRead("acceptInput"), true, "what is new refuses input until it is told otherwise");
});

test("documents outside the grant can be told to cover themselves in pictures, and nothing else", () => {
  const gate = gateAt(OUTSIDE, "read");
  /** @param {string} expression @param {string} uniqueContextId */
  const runs = (expression, uniqueContextId = "u2") => passes(gate, "Runtime.evaluate", { expression, uniqueContextId });
  for (const name of ["veil", "unveil"]) {
    assert.equal(runs(`kapture.run("${name}",{},0,7)`), true);
    assert.equal(runs(`kapture.run("${name}",{},0,7)`, "u1"), false, "only in the agent's world");
    assert.equal(runs(`kapture.run("${name}",{},0,7);document.body.innerText`), false);
  }
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
