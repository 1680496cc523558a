import assert from "node:assert/strict";
import { test } from "node:test";
import { Session } from "../../../../test_app/model/session.js";

/** @returns {Storage} */
function storage() {
  const kept = new Map();
  return /** @type {any} */ ({
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => kept.set(key, value),
    removeItem: (/** @type {string} */ key) => kept.delete(key),
  });
}

test("the ticket signs in once, the token from then on", () => {
  const session = new Session(storage(), "once");
  assert.deepEqual(session.credentials(), { ticket: "once" });
  session.admitted("token");
  assert.deepEqual(session.credentials(), { token: "token" });
  session.admitted();
  assert.deepEqual(session.credentials(), { token: "token" });
});

test("a ticket that is refused leaves the page signed in that was so before", () => {
  const kept = storage();
  new Session(kept, "once").admitted("token");
  const again = new Session(kept, "expired");
  assert.deepEqual(again.credentials(), { ticket: "expired" });
  assert.equal(again.refused(), true);
  assert.deepEqual(again.credentials(), { token: "token" });
});
