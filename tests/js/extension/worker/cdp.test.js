import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { AttachError, CdpError, attach, detach, programOf, send } from "../../../../extension/worker/cdp.js";
import { FakeChrome } from "../../support/chrome.js";

/** @type {FakeChrome} */
let chrome;
let id = 0;
const { signal } = new AbortController();

beforeEach(() => {
  chrome = new FakeChrome().install();
  id = chrome.openTab().id;
});

/** @type {[string, string, RegExp][]} what Chrome says, the code, what the person reads next */
const REFUSALS = [
  ["Cannot access a chrome:// URL", "forbidden_page", /Open a web page/],
  ["Cannot attach to this target.", "forbidden_page", /Open a web page/],
  ["Cannot access contents of url \"file:///home/me/a.html\". ", "forbidden_page", /Allow access to file URLs/],
  ['Cannot access contents of url "". Extension manifest must request permission to access this host.', "forbidden_page", /another page/],
  ['Cannot access contents of url "about:blank#a". Extension manifest must request permission', "forbidden_page", /in a browser that Kapture launches/],
  ['Cannot access contents of url "mailto:a@b.example". Extension manifest must request permission', "program", /Try again/],
  ["Cannot access a chrome-extension:// URL of different extension", "other_extension", /Turn that extension off/],
  ["Another debugger is attached to the tab with id: 7.", "failed", /Stop it/],
  ["No tab with given id 7.", "gone", /^$/],
  ["Something new.", "failed", /Reload/],
];

for (const [sentence, code, hint] of REFUSALS) {
  test(`an attach refused with ${JSON.stringify(sentence)} is ${code}`, async () => {
    chrome.refusals.set(id, sentence);
    await assert.rejects(attach(id, signal), (error) => {
      assert(error instanceof AttachError);
      assert.equal(error.code, code);
      assert.match(error.hint, hint);
      assert.equal(/connect again/.test(error.whilePaused), false, "a connected tab comes back by itself");
      return true;
    });
  });
}

test("an attach that was given up does not take the session of another over", async () => {
  chrome.attached.add(id);
  await assert.rejects(attach(id, AbortSignal.abort()), { name: "AbortError" });
  assert.equal(chrome.callsOf("debugger.attach").length, 1);
  const abort = new AbortController();
  const { detach: ended } = chrome.debugger;
  chrome.debugger.detach = async (target) => {
    await ended(target);
    abort.abort();
  };
  await assert.rejects(attach(id, abort.signal), { name: "AbortError" });
  assert.deepEqual([...chrome.attached], []);
});

test("detaching a detached session succeeds", async () => {
  await detach(id);
  chrome.debugger.detach = () => Promise.reject(new Error("Something new."));
  await assert.rejects(detach(id), /Something new/);
});

test("a refusal of the browser keeps its words and its code", async () => {
  chrome.attached.add(id);
  chrome.answer = () => {
    throw new Error(JSON.stringify({ code: -32_602, message: "No node with given id" }));
  };
  await assert.rejects(send(id, "DOM.focus", {}), (error) => {
    assert(error instanceof CdpError);
    assert.equal(error.message, "No node with given id");
    assert.deepEqual(error.data, { cdpCode: -32_602 });
    return true;
  });
  chrome.answer = () => {
    throw new Error(JSON.stringify({ code: -32_602, message: "Invalid parameters", data: "params.nodeId: missing" }));
  };
  const data = { cdpCode: -32_602, cdpData: "params.nodeId: missing" };
  await assert.rejects(send(id, "DOM.focus", {}), { name: "CdpError", message: "Invalid parameters", data });
  for (const words of ["{ no JSON", "Detached while handling command."]) {
    chrome.answer = () => {
      throw new Error(words);
    };
    await assert.rejects(send(id, "DOM.focus", {}), { name: "CdpError", message: words });
  }
});

test("a page that Chrome closes while it is attached is told from a command that fails", async () => {
  chrome.attached.add(id);
  for (const [sentence, code] of [
    ["Cannot access a chrome-extension:// URL of different extension", "other_extension"],
    ['Cannot access contents of url "". Extension manifest must request permission to access this host.', "forbidden_page"],
    ['Cannot access contents of url "about:blank#a". Extension manifest must request permission to access this host.', "forbidden_page"],
    ["The extensions gallery cannot be scripted.", "forbidden_page"],
  ]) {
    chrome.answer = () => {
      throw new Error(sentence);
    };
    await assert.rejects(send(id, "DOM.focus", {}), { name: "AttachError", code });
  }
});

test("a refusal of the page's own protocol closes no page, whatever its words", async () => {
  chrome.attached.add(id);
  chrome.answer = () => {
    throw new Error(JSON.stringify({ code: -32_000, message: "Cannot access chrome:// URL" }));
  };
  await assert.rejects(send(id, "Page.navigate", {}), { name: "CdpError" });
});

test("a command for a child session names it", async () => {
  chrome.attached.add(id);
  chrome.answer = (method, params, target) => ({ method, params, target });
  assert.deepEqual(await send(id, "A.b", { c: 1 }, "s1"), { method: "A.b", params: { c: 1 }, target: { tabId: id, sessionId: "s1" } });
});

test("an address is another program's if the browser neither shows nor runs it", () => {
  for (const url of ["mailto:a@b.example", "tel:+47123", "zoommtg://x/1", "web+thing:x"]) assert.equal(programOf(url), `${url.split(":")[0]}:`);
  for (const url of ["https://a.example/", "HTTP://a.example", "about:blank", "blob:https://a.example/1", "data:,", "javascript:0", "chrome://settings", "chrome-error://chromewebdata/", "", ":", "/x:y"])
    assert.equal(programOf(url), "", url);
});
