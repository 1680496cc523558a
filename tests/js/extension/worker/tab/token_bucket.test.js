import assert from "node:assert/strict";
import { test } from "node:test";
import { TokenBucket } from "../../../../../extension/worker/tab/token_bucket.js";

test("after a burst there is as much as has come in, and never more than a burst", () => {
  let now = 0;
  const bucket = new TokenBucket(10, 4, () => now);
  bucket.take(10);
  now = 500;
  bucket.refill();
  assert.equal(bucket.tokens, 2);
  now = 60_000;
  bucket.refill();
  assert.equal(bucket.tokens, 10);
});

test("what was taken beyond the limit is owed no longer", () => {
  let now = 0;
  const bucket = new TokenBucket(10, 4, () => now, 4);
  bucket.take(1_000);
  assert.equal(bucket.tokens, -990);
  now = 1_000;
  bucket.refill();
  assert.equal(bucket.tokens, 0);
});
