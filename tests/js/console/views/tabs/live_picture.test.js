import "../../../support/console_views.js";
import { find, mount } from "../../../support/elements.js";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { Pictures } = await import("../../../../../test_app/model/pictures.js");
await import("../../../../../test_app/views/tabs/live_picture.js");

/** Pictures that are being decoded, in the order in which they came. @type {((bitmap: object) => void)[]} */
let decoding = [];
/** The same pictures, to fail to be decoded. @type {((reason: Error) => void)[]} */
let failing = [];

beforeEach(() => {
  decoding = [];
  failing = [];
  Object.assign(globalThis, {
    createImageBitmap: () => new Promise((resolve, reject) => (decoding.push(resolve), failing.push(reject))),
    requestAnimationFrame: (/** @type {() => void} */ draw) => draw(),
  });
});

/** A picture as it is decoded. */
function bitmap() {
  return { width: 480, height: 300, closed: false, close() { this.closed = true; } }; // prettier-ignore
}

/** @param {number} number @param {string} [tabId] */
function message(number, tabId = "tab1") {
  return new TextEncoder().encode(`${JSON.stringify({ tabId, number, width: 800, height: 600 })}\nJPEG`);
}

/** The picture of a tab, and what its canvas was given. */
async function opened() {
  const drawn = /** @type {number[]} */ ([]);
  const pictures = new Pictures((number) => void drawn.push(number));
  const picture = await mount("kc-picture", { live: { pictures }, tabId: "tab1" });
  const given = /** @type {(object | null)[]} */ ([]);
  const context = { transferFromImageBitmap: (/** @type {object | null} */ one) => void given.push(one) };
  Object.defineProperty(find(picture, "canvas"), "getContext", { value: () => context });
  return { pictures, picture, given, drawn };
}

test("a picture withheld during decoding is never shown", async () => {
  const { pictures, picture, given } = await opened();
  const [taken, one] = [pictures.take(message(1)), bitmap()];
  pictures.withhold("tab1", "It is outside the grant.");
  decoding[0](one);
  await taken;
  assert.deepEqual([picture.drawn, given, one.closed, picture.withheld], [false, [null], true, "It is outside the grant."]);
  picture.remove();
});

test("nothing is left of a picture that is withheld after it was shown", async () => {
  const { pictures, picture, given } = await opened();
  const [taken, one] = [pictures.take(message(1)), bitmap()];
  decoding[0](one);
  await taken;
  pictures.withhold("tab1", "It is outside the grant.");
  assert.deepEqual([picture.drawn, given.at(-1), find(picture, "canvas").width], [false, null, 1]);
  picture.remove();
});

test("pictures decoded for another or a gone tab are not shown", async () => {
  const { pictures, picture, given } = await opened();
  const [taken, one] = [pictures.take(message(1)), bitmap()];
  picture.tabId = "tab2";
  await picture.updateComplete;
  decoding[0](one);
  await taken;
  assert.deepEqual([given, one.closed], [[], true]);
  const [next, two] = [pictures.take(message(2, "tab2")), bitmap()];
  picture.remove();
  decoding[1](two);
  await next;
  assert.deepEqual([given, two.closed], [[], true]);
});
