import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Pictures } from "../../../../test_app/model/pictures.js";

/** @typedef {import("../../../../test_app/model/pictures.js").Picture} Picture */

beforeEach(() => {
  Object.assign(globalThis, { requestAnimationFrame: (/** @type {() => void} */ draw) => draw() });
});

/** @param {number} number */
function message(number) {
  return new TextEncoder().encode(`${JSON.stringify({ tabId: "tab1", number, width: 800, height: 600 })}\nJPEG ${number}`);
}

/** Pictures, with a viewer of a tab that decodes each until the test calls its `done`. */
function followed() {
  const drawn = /** @type {number[]} */ ([]);
  const shown = /** @type {Picture[]} */ ([]);
  const done = /** @type {(() => void)[]} */ ([]);
  const pictures = new Pictures((number) => void drawn.push(number));
  const decoded = () => /** @type {Promise<void>} */ (new Promise((resolve) => done.push(resolve)));
  pictures.follow("tab1", (picture) => (shown.push(picture), picture.jpeg ? decoded() : undefined));
  return { pictures, shown, drawn, done };
}

test("a picture is reported as drawn when its viewer has it", async () => {
  const { pictures, shown, drawn, done } = followed();
  const taken = pictures.take(message(1));
  assert.deepEqual([await shown[0].jpeg?.text(), shown[0].width, drawn], ["JPEG 1", 800, []]);
  done[0]();
  await taken;
  assert.deepEqual(drawn, [1]);
});

test("a picture of a tab that nobody looks at is reported, so that the next may come", async () => {
  const drawn = /** @type {number[]} */ ([]);
  await new Pictures((number) => void drawn.push(number)).take(message(1));
  assert.deepEqual(drawn, [1]);
});

for (const [what, happens, left] of /** @type {[string, (pictures: Pictures) => void, string[]][]} */ ([
  ["withheld", (pictures) => pictures.withhold("tab1", "It is outside the grant."), ["It is outside the grant."]],
  ["forgotten with its tab", (pictures) => pictures.forget("tab1"), []],
  ["cleared", (pictures) => pictures.clear(), []],
])) {
  test(`a picture that is ${what} while it is decoded is not reported, and no later viewer gets it`, async () => {
    const { pictures, drawn, done } = followed();
    const taken = pictures.take(message(1));
    happens(pictures);
    done[0]();
    await taken;
    const later = /** @type {Picture[]} */ ([]);
    pictures.follow("tab1", (picture) => void later.push(picture));
    assert.deepEqual([drawn, later.map(({ withheld }) => withheld)], [[], left]);
  });
}
