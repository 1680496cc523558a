import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Pictures } from "../../../test_app/model/pictures.js";

/** Pictures that are being decoded, in the order in which they came. @type {((bitmap: object) => void)[]} */
let decoding = [];

beforeEach(() => {
  decoding = [];
  Object.assign(globalThis, {
    createImageBitmap: () => new Promise((resolve) => decoding.push(resolve)),
    requestAnimationFrame: (/** @type {() => void} */ draw) => draw(),
  });
});

/** A picture as it is decoded. */
function bitmap() {
  return { closed: false, close() { this.closed = true; } }; // prettier-ignore
}

/** @param {number} number */
function message(number) {
  return new TextEncoder().encode(`${JSON.stringify({ tabId: "tab1", number, width: 800, height: 600 })}\nJPEG`);
}

/** Pictures, and what a viewer of a tab was shown: a bitmap, or why there is none. */
function followed() {
  const drawn = /** @type {number[]} */ ([]);
  const shown = /** @type {unknown[]} */ ([]);
  const pictures = new Pictures((number) => void drawn.push(number));
  pictures.follow("tab1", ({ bitmap: one, withheld }) => shown.push(one ?? withheld));
  return { pictures, shown, drawn };
}

test("a picture that is decoded is shown, and reported as drawn", async () => {
  const { pictures, shown, drawn } = followed();
  const [taken, one] = [pictures.take(message(1)), bitmap()];
  decoding[0](one);
  await taken;
  assert.deepEqual([shown, drawn], [[one], [1]]);
});

for (const [what, happens, left] of /** @type {[string, (pictures: Pictures) => void, unknown[]][]} */ ([
  ["withheld", (pictures) => pictures.withhold("tab1", "It is outside the grant."), ["It is outside the grant."]],
  ["forgotten with its tab", (pictures) => pictures.forget("tab1"), []],
  ["cleared", (pictures) => pictures.clear(), []],
])) {
  test(`a picture that is ${what} while it is decoded is never shown`, async () => {
    const { pictures, shown, drawn } = followed();
    const [taken, one] = [pictures.take(message(1)), bitmap()];
    happens(pictures);
    decoding[0](one);
    await taken;
    assert.deepEqual([shown, drawn, one.closed], [left, [], true]);
    pictures.follow("tab1", ({ bitmap: known }) => assert.equal(known, null));
  });
}

test("of two pictures the one that came later is shown, whichever is decoded first", async () => {
  const { pictures, shown } = followed();
  const [taken, early, late] = [[pictures.take(message(1)), pictures.take(message(2))], bitmap(), bitmap()];
  decoding[1](late);
  decoding[0](early);
  await Promise.all(taken);
  assert.deepEqual([shown, early.closed], [[late], true]);
});
