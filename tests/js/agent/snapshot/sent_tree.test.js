import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { sendPart, sendTree } from "../../../../kapture/page/agent/snapshot/sent_tree.js";

/** @type {{ name: string, base?: any, tree: any, sent: unknown[] }[]} */
const vectors = JSON.parse(readFileSync(new URL("../../../snapshot/sent_trees.json", import.meta.url), "utf8"));

for (const { name, base, tree, sent } of vectors)
  test(name, () => {
    if (base === undefined) {
      assert.deepEqual(sendPart(tree), { root: sent });
      return;
    }
    const { number } = sendTree(base, undefined);
    const second = sendTree(tree, number);
    assert.deepEqual(second.root, sent);
    assert.equal(second.base, number);
    assert.notEqual(second.number, number);
  });

const page = { role: "document", ref: 1, name: "" };

test("a hub that has another tree, or none, is sent all of it", () => {
  const first = sendTree(page, undefined);
  const second = sendTree(page, first.number);
  assert.deepEqual(second.root, ["", 1]);
  for (const base of [undefined, first.number]) {
    const whole = sendTree(page, base);
    assert.deepEqual([whole.root, whole.base], [["document", 1, "", []], undefined]);
  }
});

test("a part is not what a later tree leaves things out of", () => {
  const { number } = sendTree(page, undefined);
  sendPart({ ...page, ref: 2 });
  assert.deepEqual(sendTree(page, number).root, ["", 1]);
});
