// How late the browser answers, which tells how much it can carry.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Lateness } from "../../../../../extension/worker/tab/lateness.js";

let now = 0;
/** @type {((how: "resolve" | "reject") => void)[]} the questions that are not answered yet */
let asked = [];
/** @type {Lateness} */
let lateness;

const answer = async (/** @type {"resolve" | "reject"} */ how = "resolve") => {
  asked.shift()?.(how);
  await new Promise(setImmediate);
};

beforeEach(() => {
  now = 0;
  asked = [];
  const ask = () =>
    new Promise((resolve, reject) => {
      asked.push((how) => (how === "resolve" ? resolve({}) : reject(new Error("no"))));
    });
  lateness = new Lateness(ask, () => now);
});

test("it is the time of the latest answer, or how long one has been waited for", async () => {
  assert.equal(lateness.ms(), 0);
  now = 300;
  assert.equal(lateness.ms(), 300);
  await answer();
  now = 450;
  assert.equal(lateness.ms(), 300);
  now = 900;
  assert.equal(lateness.ms(), 300);
  now = 950;
  await answer();
  assert.equal(lateness.ms(), 50);
});

test("the browser is asked one question at a time, each 200 ms, and only when somebody wants to know", async () => {
  for (; now < 1_000; now += 10) lateness.ms();
  assert.equal(asked.length, 1);
  await answer();
  for (; now < 1_190; now += 10) lateness.ms();
  assert.equal(asked.length, 0);
  now = 1_200;
  lateness.ms();
  assert.equal(asked.length, 1);
});

test("an answer of long ago says nothing of now, and one that is an error is an answer", async () => {
  lateness.ms();
  now = 800;
  await answer("reject");
  assert.equal(lateness.ms(), 800);
  now = 5_000;
  assert.equal(lateness.ms(), 0);
});
