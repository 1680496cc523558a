import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { beforeEach, mock, test } from "node:test";

import { probe } from "../../../../../extension/worker/connection/probe.js";
import { pairing, prove } from "../../../support/hub.js";
import { FakeSocket } from "../../../support/socket.js";

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  FakeSocket.install();
});

test("the hub is known by its proof, and nothing is registered", async () => {
  const answer = probe(await pairing());
  await prove(FakeSocket.last);
  assert.equal(await answer, "hub");
  assert.deepEqual(FakeSocket.last.sent.map(({ type }) => type), ["proof"]);
  assert.equal(FakeSocket.last.closedWith, 1000);
});

test("a program without the key is an impostor", async () => {
  const answer = probe(await pairing());
  await prove(FakeSocket.last, randomBytes(32));
  assert.equal(await answer, "impostor");
});

test("a program that says something else, or nothing, is an impostor", async () => {
  let answer = probe(await pairing());
  FakeSocket.last.accept();
  FakeSocket.last.receive("hello");
  assert.equal(await answer, "impostor");
  answer = probe(await pairing());
  FakeSocket.last.accept();
  mock.timers.tick(3_000);
  assert.equal(await answer, "impostor");
});

test("a port on which nobody listens is nobody's", async () => {
  let answer = probe(await pairing());
  FakeSocket.last.end();
  assert.equal(await answer, "nobody");
  answer = probe(await pairing());
  mock.timers.tick(3_000);
  assert.equal(await answer, "nobody");
});
