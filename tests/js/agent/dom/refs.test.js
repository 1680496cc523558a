import assert from "node:assert/strict";
import test from "node:test";
import { elementOf, isGone, passRef, refOf } from "../../../../kapture/page/agent/dom/refs.js";

/** All that refs look at of an element. @returns {any} */
const element = () => ({ isConnected: true });

test("a ref stays while role and name stay, and is never given out again", () => {
  const button = element();
  const ref = refOf(button, "button", "One");
  assert.equal(refOf(button, "button", "One"), ref);
  const next = refOf(button, "button", "Two");
  assert.equal(next, ref + 1);
  assert.equal(elementOf(ref), undefined);
  assert.equal(elementOf(next), button);
});

test("an element that is called again what it was called has the ref that it had", () => {
  const button = element();
  const save = refOf(button, "button", "Save");
  const waiting = refOf(button, "button", "Saving");
  assert.notEqual(waiting, save);
  assert.equal(elementOf(save), undefined);
  assert.equal(refOf(button, "button", "Save"), save);
  assert.equal(elementOf(waiting), undefined);
  assert.equal(refOf(button, "button", "Saving"), waiting);
  assert.equal(refOf(button, "link", "Saving"), waiting + 1);
  assert.notEqual(refOf(element(), "button", "Save"), save);
});

test("an element that has left the document has no ref", () => {
  const gone = element();
  const ref = refOf(gone, "link", "b");
  gone.isConnected = false;
  assert.equal(elementOf(ref), undefined);
  assert.equal(isGone(ref), true);
});

test("an element whose name has changed has lost its ref, but is not gone", () => {
  const button = element();
  const ref = refOf(button, "button", "Follow");
  refOf(button, "button", "Following");
  assert.equal(isGone(ref), false);
});

test("an element that takes the place of another has its ref, and keeps it", () => {
  const gone = element();
  const ref = refOf(gone, "button", "Add");
  gone.isConnected = false;
  const next = element();
  const own = refOf(next, "button", "Add");
  passRef(own, ref);
  assert.equal(elementOf(ref), next);
  assert.equal(elementOf(own), undefined);
  assert.equal(refOf(next, "button", "Add"), ref);
});

test("an element that comes back when another has its ref gets one of its own, and takes none away", () => {
  for (const name of ["Add", "Added"]) {
    const away = element();
    const ref = refOf(away, "button", "Add");
    away.isConnected = false;
    const next = element();
    passRef(refOf(next, "button", "Add"), ref);
    away.isConnected = true;
    assert.notEqual(refOf(away, "button", name), ref);
    assert.notEqual(refOf(away, "button", "Add"), ref);
    assert.equal(elementOf(ref), next);
    assert.equal(refOf(next, "button", "Add"), ref);
  }
});
