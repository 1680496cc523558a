import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Documents } from "../../../../../extension/worker/gate/documents.js";

/** @type {{name: string, granted?: string, opener?: boolean, frames: any[], owners: Record<string, string>}[]} the hub's tests read the same file */
const VECTORS = JSON.parse(readFileSync(new URL("../../../../policy/documents.json", import.meta.url), "utf8"));

/** @param {string} owner */
function originOf(owner) {
  const url = owner.replace(/^blob:/, "");
  if (!/^(https?|file):/.test(url)) return url;
  return url.startsWith("file:") ? "file://" : new URL(url).origin;
}

/**
 * Report one step of a vector: a document, the context of one (`context`), a frame in a process of its own
 * (`target`), or the answer to a client's `Page.navigate` (`opened`).
 * @param {Documents} documents
 * @param {Map<string, string>} sessions of frames in processes of their own
 * @param {number} number
 * @param {any} event
 */
function report(documents, sessions, number, event) {
  const session = sessions.get(event.id);
  if (event.context !== undefined) {
    const auxData = { frameId: event.id, isDefault: true };
    const context = { id: number, uniqueId: `u${number}`, name: "", origin: event.context, auxData };
    documents.observe("Runtime.executionContextCreated", { context }, session);
  } else if (event.target !== undefined) {
    sessions.set(event.id, `session of ${event.id}`);
    const targetInfo = { targetId: event.id, type: "iframe", url: event.target, parentFrameId: event.parentId };
    documents.observe("Target.attachedToTarget", { sessionId: sessions.get(event.id), targetInfo }, undefined);
  } else if (event.opened !== undefined) {
    documents.answered("Page.navigate", { frameId: event.id, loaderId: event.opened }, session);
  } else documents.observe("Page.frameNavigated", { frame: event }, session);
}

for (const { name, granted = "", opener = false, frames, owners } of VECTORS) {
  test(`whose document it is: ${name}`, () => {
    const [documents, sessions] = [new Documents((owner) => owner.startsWith(granted)), new Map()];
    documents.answered("Target.getTargetInfo", { targetInfo: opener ? { openerId: "T" } : {} }, undefined);
    for (const [at, event] of frames.entries()) report(documents, sessions, at, event);
    for (const [id, origin] of Object.entries(owners)) assert.equal(originOf(documents.ofFrame(id)), origin, id);
  });
}

test("a frame or session that nobody has heard of belongs to no one", () => {
  const documents = new Documents();
  documents.page.seed("https://shop.example/");
  assert.equal(documents.ofFrame("x"), "unknown:");
  assert.equal(documents.ofSession("x"), "unknown:");
});

test("an address that changes within the document is the main document's", () => {
  const documents = new Documents();
  documents.observe("Page.frameNavigated", { frame: { id: "main", url: "https://shop.example/a" } }, undefined);
  documents.observe("Page.navigatedWithinDocument", { frameId: "main", url: "https://shop.example/b" }, undefined);
  assert.equal(documents.main, "https://shop.example/b");
});

test("a frame that was removed belongs to no one, one that moved to another process is still known", () => {
  const documents = new Documents();
  documents.observe("Page.frameNavigated", { frame: { id: "main", url: "https://shop.example/" } }, undefined);
  for (const [id, reason] of [["gone", "remove"], ["moved", "swap"]]) {
    documents.observe("Page.frameNavigated", { frame: { id, parentId: "main", url: "https://bank.test/" } }, undefined);
    documents.observe("Page.frameDetached", { frameId: id, reason }, undefined);
  }
  assert.equal(documents.ofFrame("gone"), "unknown:");
  assert.equal(originOf(documents.ofFrame("moved")), "https://bank.test");
});

/** @param {Documents} documents @param {string} id @param {string} url @param {string} [parentId] @param {string} [session] */
function navigate(documents, id, url, parentId, session) {
  const frame = { id, url, securityOrigin: new URL(url).origin, ...(parentId ? { parentId } : {}) };
  documents.observe("Page.frameNavigated", { frame }, session);
}

/** @param {Documents} documents @param {string} sessionId @param {string} type @param {string} url @param {string} [targetId] */
function attach(documents, sessionId, type, url, targetId = sessionId) {
  documents.observe("Target.attachedToTarget", { sessionId, targetInfo: { targetId, type, url } }, undefined);
}

test("a session holds every frame of its process, and none of another's", () => {
  const documents = new Documents();
  navigate(documents, "main", "https://shop.example/");
  navigate(documents, "near", "https://ads.shop.test/", "main");
  navigate(documents, "far", "https://bank.test/", "main");
  assert.deepEqual(documents.inSession(undefined).map(originOf).sort(), [
    "https://ads.shop.test", "https://bank.test", "https://shop.example",
  ]);
  attach(documents, "S", "iframe", "https://bank.test/", "far");
  assert.deepEqual(documents.inSession(undefined).map(originOf).sort(), ["https://ads.shop.test", "https://shop.example"]);
  assert.deepEqual(documents.inSession("S").map(originOf), ["https://bank.test"]);
  assert.deepEqual(documents.inSession("nobody's"), ["unknown:"]);
});

test("frames go with the frame that held them, by removal and by navigation", () => {
  for (const gone of ["removed", "navigated"]) {
    const documents = new Documents();
    navigate(documents, "main", "https://shop.example/");
    navigate(documents, "outer", "https://bank.test/", "main");
    navigate(documents, "inner", "https://inner.test/", "outer");
    if (gone === "removed") documents.observe("Page.frameDetached", { frameId: "outer", reason: "remove" }, undefined);
    else navigate(documents, "main", "https://shop.example/next");
    assert.deepEqual(documents.inSession(undefined).map(originOf), ["https://shop.example"], gone);
    assert.equal(documents.ofFrame("inner"), "unknown:");
  }
});

test("a worker belongs to the site of its script; one that names none, to the documents that may have made it", () => {
  const documents = new Documents();
  navigate(documents, "main", "https://shop.example/");
  navigate(documents, "near", "https://ads.shop.test/", "main");
  attach(documents, "W", "worker", "https://shop.example/worker.js");
  attach(documents, "D", "worker", "data:text/javascript,1");
  assert.equal(documents.ofWorker("W"), "https://shop.example/worker.js");
  assert.deepEqual(documents.inSession("W"), ["https://shop.example/worker.js"]);
  assert.equal(documents.ofWorker("D"), "unknown:");
  assert.deepEqual(documents.inSession("D").map(originOf).sort(), ["https://ads.shop.test", "https://shop.example"]);
  assert.equal(documents.ofWorker(undefined), "unknown:", "a page is no worker");
});

test("announcements of a session are forgotten with it", () => {
  const documents = new Documents();
  const attach = (/** @type {string} */ sessionId, /** @type {string} */ type, /** @type {string | undefined} */ by) =>
    documents.observe("Target.attachedToTarget", { sessionId, targetInfo: { targetId: `of ${sessionId}`, type, url: "https://a.example/" } }, by);
  attach("frame", "iframe", undefined);
  attach("worker", "worker", "frame");
  attach("nested", "worker", "worker");
  assert.ok(documents.isWorker("nested"));
  documents.observe("Target.detachedFromTarget", { sessionId: "frame" }, undefined);
  assert.deepEqual([documents.isWorker("worker"), documents.isWorker("nested"), documents.sessions.size], [false, false, 0]);
});

test("a blank frame whose parent is not known yet belongs to no one, and then to its parent", () => {
  const documents = new Documents();
  navigate(documents, "main", "https://shop.example/");
  const context = { id: 5, name: "", origin: "://", uniqueId: "u5", auxData: { frameId: "blank", isDefault: true } };
  documents.observe("Runtime.executionContextCreated", { context }, undefined);
  assert.equal(documents.ofFrame("blank"), "unknown:");
  documents.observe("Page.frameAttached", { frameId: "blank", parentFrameId: "main" }, undefined);
  assert.equal(originOf(documents.ofFrame("blank")), "https://shop.example");
});

test("a blank frame of its parent's origin belongs to the parent's address, whatever else is in that", () => {
  for (const [url, origin] of [["https://me@shop.example/cart", "https://shop.example"], ["file:///srv/a.html", "file://"]]) {
    const documents = new Documents();
    documents.observe("Page.frameNavigated", { frame: { id: "main", url } }, undefined);
    documents.observe("Page.frameAttached", { frameId: "blank", parentFrameId: "main" }, undefined);
    const context = { id: 5, name: "", origin, uniqueId: "u5", auxData: { frameId: "blank", isDefault: true } };
    documents.observe("Runtime.executionContextCreated", { context }, undefined);
    assert.equal(documents.ofFrame("blank"), url);
  }
});

test("the page that takes a prerendered one's tab over leaves nothing of the one before", () => {
  const documents = new Documents();
  navigate(documents, "before", "https://bank.test/");
  navigate(documents, "after", "https://shop.example/");
  assert.deepEqual(documents.inSession(undefined).map(originOf), ["https://shop.example"]);
});

test("a prerendered page that takes the tab over unannounced belongs to no one until the frame tree says whose it is", () => {
  const documents = new Documents();
  /** @param {string} frameId @param {number} id */
  const context = (frameId, id) => {
    const described = { id, name: "", origin: "https://bank.test", uniqueId: `u${id}`, auxData: { frameId, isDefault: true } };
    documents.observe("Runtime.executionContextCreated", { context: described }, undefined);
  };
  navigate(documents, "before", "https://shop.example/");
  documents.observe("Page.frameAttached", { frameId: "inner", parentFrameId: "before" }, undefined);
  context("before", 1);
  documents.observe("Runtime.executionContextsCleared", {}, undefined);
  context("after", 2);
  assert.equal(documents.main, "unknown:");
  assert.equal(documents.ofFrame("after"), "unknown:");
  assert.equal(documents.ofFrame("inner"), "unknown:", "what the page before held has gone");
  documents.learn({ frame: { id: "after", url: "https://bank.test/", securityOrigin: "https://bank.test" } }, undefined);
  assert.equal(documents.main, "https://bank.test/");
});

test("a frame's context that comes before the frame does not make the page anybody else's", () => {
  const documents = new Documents();
  navigate(documents, "main", "https://shop.example/");
  documents.observe("Runtime.executionContextsCleared", {}, undefined);
  for (const [id, frameId] of ["main", "early"].entries()) {
    const context = { id, name: "", origin: "https://ads.test", uniqueId: `u${id}`, auxData: { frameId, isDefault: true } };
    documents.observe("Runtime.executionContextCreated", { context }, undefined);
  }
  assert.equal(documents.main, "https://shop.example/");
});

test("a tab that shows an address of no site is an empty one until its document is known", () => {
  const documents = new Documents();
  documents.page.seed("about:blank");
  assert.equal(documents.main, "");
});

test("a session belongs to the document that its frame shows by now, and to nobody once that frame is gone", () => {
  const documents = new Documents();
  navigate(documents, "main", "https://shop.example/");
  attach(documents, "S", "iframe", "https://shop.example/frame", "far");
  navigate(documents, "far", "https://bank.test/", undefined, "S");
  assert.equal(originOf(documents.ofSession("S")), "https://bank.test");
  documents.observe("Page.frameDetached", { frameId: "far", reason: "remove" }, "S");
  assert.equal(documents.ofSession("S"), "unknown:");
  assert.equal(documents.ofFrame(undefined), "unknown:");
});

test("an address that changes within a frame's document, or within a blank page, leaves whose the main document is", () => {
  const documents = new Documents();
  navigate(documents, "main", "https://shop.example/");
  navigate(documents, "far", "https://bank.test/", "main");
  documents.observe("Page.navigatedWithinDocument", { frameId: "far", url: "https://bank.test/next" }, undefined);
  assert.equal(documents.main, "https://shop.example/");
  documents.observe("Page.navigatedWithinDocument", { frameId: "main", url: "about:blank#top" }, undefined);
  assert.equal(documents.main, "https://shop.example/");
});

test("a document that another one opens anew has the address of that", () => {
  const documents = new Documents();
  navigate(documents, "main", "https://shop.example/");
  documents.observe("Page.documentOpened", { frame: { id: "main", url: "https://shop.example/opener" } }, undefined);
  assert.equal(documents.main, "https://shop.example/opener");
});

test("code without a context is bound to the latest document of its session's own frame, other code to what it names", () => {
  const documents = new Documents();
  /** @param {number} id @param {string} frameId @param {string} [session] @param {boolean} [isDefault] */
  const context = (id, frameId, session, isDefault = true) => {
    const described = { id, name: "", origin: "https://shop.example", uniqueId: `u${id}`, auxData: { frameId, isDefault } };
    documents.observe("Runtime.executionContextCreated", { context: described }, session);
  };
  context(1, "main");
  assert.equal(documents.uniqueContext(undefined, undefined), undefined, "no page is known yet");
  navigate(documents, "main", "https://shop.example/");
  attach(documents, "S", "iframe", "https://shop.example/frame", "far");
  context(2, "main");
  context(3, "near");
  context(4, "main", undefined, false);
  context(1, "far", "S");
  assert.equal(documents.uniqueContext(undefined, undefined), "u2");
  assert.equal(documents.uniqueContext(undefined, 3), "u3");
  assert.equal(documents.uniqueContext(undefined, "u4"), "u4");
  assert.equal(documents.uniqueContext(undefined, 9), undefined);
  assert.equal(documents.uniqueContext("S", undefined), "u1");
  assert.equal(documents.uniqueContext("never seen", undefined), undefined);
});

test("a document of opaque origin is nobody's once the document around its frame has gone", () => {
  const documents = new Documents((owner) => owner.startsWith("https://shop.example"));
  /** @param {string} id @param {string} url @param {string} loaderId @param {string} [parentId] @param {string} [session] */
  const load = (id, url, loaderId, parentId, session) =>
    documents.observe("Page.frameNavigated", { frame: { id, url, loaderId, ...(parentId ? { parentId } : {}) } }, session);
  load("main", "https://shop.example/", "L1");
  attach(documents, "S", "iframe", "https://bank.test/", "outer");
  load("outer", "https://bank.test/", "L2", "main", "S");
  load("inner", "https://shop.example/own", "L3", "outer", "S");
  load("outer", "https://shop.example/own", "L4", "main");
  load("inner", "data:text/html,x", "L5", "outer", "S");
  assert.equal(documents.ofFrame("outer"), "https://shop.example/own");
  assert.equal(documents.ofFrame("inner"), "unknown:");
  documents.learn({ frame: { id: "outer", url: "https://shop.example/own", loaderId: "L4", parentId: "main" }, childFrames: [
    { frame: { id: "inner", url: "data:text/html,x", loaderId: "L5", parentId: "outer" } },
  ] }, undefined);
  assert.equal(documents.ofFrame("inner"), "https://shop.example/own", "it is in that document now");
});

test("before any frame is known, what only the session says belongs to no one", () => {
  const documents = new Documents();
  documents.page.seed("https://shop.example/");
  assert.equal(documents.ofSession(undefined), "https://shop.example/");
  assert.deepEqual(documents.inSession(undefined), ["unknown:"]);
});
