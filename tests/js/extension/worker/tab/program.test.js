// Programs: commands that take values from earlier results, or hang on them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Program } from "../../../../../extension/worker/tab/program.js";
import { idle } from "../../../support/idle.js";

const VECTORS = JSON.parse(readFileSync(new URL("../../../../wire/programs.json", import.meta.url), "utf8"));

/** @param {any} error */
const wireError = (error) => ({ code: error.code, message: error.message });

/** @param {any} answer */
const outcome = (answer) => (answer.skipped ? "skipped" : (answer.error?.code ?? "result"));

/**
 * A browser that answers by hand.
 * @param {object[]} commands
 */
function running(commands) {
  /** @type {{method: string, params: any, answer: (answer: object) => void}[]} */
  const sent = [];
  const program = new Program(
    /** @type {any} */ (commands),
    (command) => new Promise((resolve) => sent.push({ method: command.method ?? "", params: command.params, answer: resolve })),
    wireError,
  );
  return { program, sent, done: program.run() };
}

for (const { name, commands, results, sent, answers } of VECTORS) {
  test(`a program of the shared vectors: ${name}`, async () => {
    /** @type {any[]} */
    const asked = [];
    const program = new Program(
      commands,
      async ({ method = "", params }) => {
        asked.push([method, params]);
        return results[method];
      },
      wireError,
    );
    await program.run();
    assert.deepEqual(asked, sent);
    assert.deepEqual(program.take()?.map(outcome), answers);
  });
}

const MALFORMED = {
  "a path that is no JSON Pointer": { "#x": { resultOf: 0, path: "x" } },
  "no path": { "#x": { resultOf: 0 } },
  "no index": { "#x": { resultOf: "0", path: "/x" } },
  "a negative index": { "#x": { resultOf: -1, path: "/x" } },
  "no object": { "#x": 7 },
  "null": { "#x": null },
  "a parameter that is given twice": { x: 1, "#x": { resultOf: 0, path: "/x" } },
};

for (const [name, params] of Object.entries(MALFORMED)) {
  test(`a malformed reference is refused and ends the program: ${name}`, async () => {
    const { program, sent, done } = running([{ method: "A.a" }, { method: "A.b", params }, { method: "A.c" }]);
    await idle();
    sent[0].answer({ result: { x: 1 } });
    await done;
    assert.deepEqual(sent.map(({ method }) => method), ["A.a"]);
    assert.deepEqual(program.take()?.map(outcome), ["result", "INVALID_PARAMS", "skipped"]);
  });
}

test("requirements that are no list are refused", async () => {
  const { program, done } = running([{ method: "A.b", requires: { path: "/x" } }, { method: "A.c" }]);
  await done;
  assert.deepEqual(program.take()?.map(outcome), ["INVALID_PARAMS", "skipped"]);
});

test("a command waits for the results that it refers to and for no others", async () => {
  const { sent } = running([
    { method: "A.slow" },
    { method: "A.found" },
    { method: "A.press", params: { "#x": { resultOf: 1, path: "/x" } } },
    { method: "A.last" },
  ]);
  await idle();
  assert.deepEqual(sent.map(({ method }) => method), ["A.slow", "A.found"]);
  sent[1].answer({ result: { x: 3 } });
  await idle();
  assert.deepEqual(sent.map(({ method }) => method), ["A.slow", "A.found", "A.press", "A.last"]);
  assert.deepEqual(sent[2].params, { x: 3 });
});

test("a program that has been ended starts nothing more, and is answered when what it started is", async () => {
  const { program, sent, done } = running([{ method: "A.a" }, { method: "A.b", waitForPrevious: true }]);
  await idle();
  program.end();
  sent[0].answer({ result: {} });
  await done;
  assert.deepEqual(sent.map(({ method }) => method), ["A.a"]);
  assert.deepEqual(program.take()?.map(outcome), ["result", "skipped"]);
});

test("each answer is handed out once", async () => {
  const { program, sent, done } = running([{ method: "A.a" }, { method: "A.b" }]);
  assert.equal(program.take(), undefined);
  sent[1].answer({ result: { n: 2 } });
  await idle();
  assert.deepEqual(program.take(), [null, { result: { n: 2 } }]);
  assert.equal(program.take(), undefined);
  sent[0].answer({ result: { n: 1 } });
  await done;
  assert.deepEqual(program.take(), [{ result: { n: 1 } }, null]);
});
