// Several CDP commands in one message: their order, and what becomes of each.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Commands } from "../../../../extension/worker/commands.js";
import { Denied } from "../../../../extension/worker/access.js";
import { idle } from "../../support/idle.js";

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

/** A tab that lets everything pass but `Never.this`. */
function tab() {
  const command = (/** @type {string} */ method) => {
    if (method === "Never.this") throw new Denied("Not that.", "Ask.");
  };
  const gate = { command, result: (/** @type {string} */ _method, /** @type {object} */ result) => result };
  return /** @type {any} */ ({ attachment: { attached: true }, chromeTabId: 7, gate, access: { anySite: true } });
}

/** @param {object[]} commands */
const message = (...commands) => ({ type: "command", id: "c1", command: "cdp_all", params: { commands } });

test("all are started in their order, and one that comes after waits for all before it", async () => {
  const sent = browser();
  const answer = new Commands(tab()).answer(
    message({ method: "A.a" }, { method: "A.b" }, { method: "A.c", after: true }, { method: "A.d" }),
  );
  await idle();
  assert.deepEqual(sent.map(({ method }) => method), ["A.a", "A.b"]);
  sent[1].answer({ n: 2 });
  await idle();
  assert.equal(sent.length, 2);
  sent[0].refuse("no node");
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
