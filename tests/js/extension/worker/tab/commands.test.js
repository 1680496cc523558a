// Several CDP commands in one message: their order, and what becomes of each.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Commands } from "../../../../../extension/worker/tab/commands.js";
import { Access, Denied } from "../../../../../extension/worker/gate/access.js";
import { idle } from "../../../support/idle.js";

/** Answers are gathered for a while: here until a test lets the time pass. */
beforeEach((t) => /** @type {import("node:test").TestContext} */ (t).mock.timers.enable({ apis: ["setTimeout"] }));

/** A browser whose commands are answered by hand. */
function browser() {
  /** @type {{method: string, answer: (result: object) => void, refuse: (why: string) => void}[]} */
  const sent = [];
  const sendCommand = (/** @type {object} */ _target, /** @type {string} */ method) =>
    new Promise((resolve, reject) =>
      sent.push({ method, answer: resolve, refuse: (why) => reject(new Error(JSON.stringify({ code: -32_000, message: why }))) }),
    );
  Object.assign(globalThis, { chrome: { debugger: { sendCommand } } });
  return sent;
}

/** A tab that lets everything pass but `Never.this` and what is at 13. */
function tab() {
  const command = (/** @type {string} */ method, /** @type {any} */ params) => {
    if (method === "Never.this" || params.x === 13) throw new Denied("Not that.", "Ask.");
  };
  const gate = { command, result: (/** @type {string} */ _method, /** @type {object} */ result) => result };
  const downloads = { cancel: () => {} };
  const access = new Access({ sites: ["*"], level: "full" });
  return /** @type {any} */ ({ attachment: { attached: true }, chromeTabId: 7, gate, access, downloads });
}

/** @param {object[]} commands */
const message = (...commands) => ({ type: "command", id: "c1", command: "cdp_all", params: { commands } });

test("all are started in their order, and one that waits for the previous one is the next", async () => {
  const sent = browser();
  const answer = new Commands(tab()).answer(
    message({ method: "A.a" }, { method: "A.b" }, { method: "A.c", waitForPrevious: true }, { method: "A.d" }),
  );
  await idle();
  assert.deepEqual(sent.map(({ method }) => method), ["A.a", "A.b"]);
  sent[0].refuse("no node");
  await idle();
  assert.equal(sent.length, 2);
  sent[1].answer({ n: 2 });
  await idle();
  assert.deepEqual(sent.map(({ method }) => method), ["A.a", "A.b", "A.c", "A.d"]);
  sent[3].answer({ n: 4 });
  sent[2].answer({ n: 3 });
  const { success, result } = await answer;
  assert.equal(success, true);
  assert.equal(result.answers[0].error.message, "no node");
  assert.deepEqual(result.answers.slice(1), [{ result: { n: 2 } }, { result: { n: 3 } }, { result: { n: 4 } }]);
});

test("one that may not pass is answered so, and the others are done", async () => {
  const sent = browser();
  const answer = new Commands(tab()).answer(message({ method: "Never.this" }, { method: 7 }, { method: "A.a" }));
  await idle();
  assert.deepEqual(sent.map(({ method }) => method), ["A.a"]);
  sent[0].answer({});
  const [denied, nameless, done] = (await answer).result.answers;
  assert.equal(denied.error.code, "POLICY_DENIED");
  assert.equal(nameless.error.code, "POLICY_DENIED");
  assert.deepEqual(done, { result: {} });
});

test("nothing is sent to a tab that is not attached", async () => {
  const sent = browser();
  const detached = { ...tab(), attachment: { attached: false } };
  const { result } = await new Commands(detached).answer(message({ method: "A.a" }));
  assert.equal(result.answers[0].error.code, "DETACHED");
  assert.equal(sent.length, 0);
});

test("the gate judges a command with the values that it refers to", async () => {
  const sent = browser();
  const x = { resultOf: 0, path: "/x" };
  const answer = new Commands(tab()).answer(message({ method: "A.a" }, { method: "A.b", params: { "#x": x } }));
  await idle();
  sent[0].answer({ x: 13 });
  const [, denied] = (await answer).result.answers;
  assert.equal(denied.error.code, "POLICY_DENIED");
  assert.equal(sent.length, 1);
});

test("a program refers to results as the gate lets them pass", async () => {
  const sent = browser();
  const filtering = tab();
  filtering.gate.result = () => ({ shown: 1 });
  const hidden = { resultOf: 0, path: "/hidden" };
  const answer = new Commands(filtering).answer(message({ method: "A.a" }, { method: "A.b", params: { "#x": hidden } }));
  await idle();
  sent[0].answer({ hidden: "secret" });
  const [shown, refused] = (await answer).result.answers;
  assert.deepEqual(shown, { result: { shown: 1 } });
  assert.equal(refused.error.code, "INVALID_PARAMS");
  assert.equal(sent.length, 1);
});

test("a program whose command is cancelled starts nothing more", async () => {
  const sent = browser();
  const commands = new Commands(tab());
  const answer = commands.answer(message({ method: "A.a" }, { method: "A.b", waitForPrevious: true }));
  await idle();
  commands.cancel("another");
  commands.cancel("c1");
  sent[0].answer({});
  assert.deepEqual((await answer).result.answers, [{ result: {} }, { skipped: true }]);
  assert.equal(sent.length, 1);
});
