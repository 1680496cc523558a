import assert from "node:assert/strict";
import test from "node:test";
import { successors } from "../../../../kapture/page/agent/snapshot/successors.js";

/** @typedef {import("../../../../kapture/page/agent/state.js").TreeNode} TreeNode */

/**
 * A tree from `[role, name, ...children]`; refs are numbered from `first`, the root's is 1.
 * @param {any[]} shape
 * @param {number} first
 * @returns {{ root: TreeNode, nodes: Map<number, TreeNode> }}
 */
function tree(shape, first) {
  const nodes = new Map();
  let next = first;
  const build = (/** @type {any[]} */ [role, name, ...children], ref = (next += 1)) => {
    /** @type {TreeNode} */
    const node = { role, name, ref };
    nodes.set(ref, node);
    if (children.length > 0) node.children = children.map((child) => (typeof child === "string" ? child : build(child)));
    return node;
  };
  return { root: build(shape, 1), nodes };
}

/**
 * The names of the elements that have successors, if the page has replaced all of the first tree by the second.
 * @param {any[]} before
 * @param {any[]} after
 */
function kept(before, after) {
  const old = tree(["document", "", ...before], 100);
  const now = tree(["document", "", ...after], 200);
  const found = successors(old.nodes, now.root, (ref) => ref > 100);
  for (const [to, from] of found) {
    assert.equal(now.nodes.get(to)?.role, old.nodes.get(from)?.role);
    assert.equal(now.nodes.get(to)?.name, old.nodes.get(from)?.name);
  }
  assert.equal(new Set(found.values()).size, found.size);
  return [...found.values()].map((ref) => old.nodes.get(ref)?.name);
}

/** @param {string} item @param {string} [control] */
const row = (item, control = "Delete") => ["row", item, item, ["button", control]];

test("equal pages have the same elements, also equal siblings", () => {
  const page = [["heading", "Rate"], ["button", "★"], ["button", "★"], ["list", "", ["listitem", "", "a"], ["listitem", "", "a"]]];
  assert.equal(kept(page, page).length, 6);
});

test("items that only a picture without a name may tell apart are not taken for one another", () => {
  const shop = (/** @type {string} */ name) => [["heading", "Shop"], ["image", name], ["button", "Buy"], ["image", name], ["button", "Buy"]];
  assert.deepEqual(kept(shop(""), shop("")), ["Shop"]);
  assert.deepEqual(kept(shop("Shirt"), shop("Shirt")).filter((name) => name === "Buy").length, 2);
});

test("a row is the one that says the same, wherever it is", () => {
  assert.deepEqual(kept([["table", "", row("Tea"), row("Milk")]], [["table", "", row("Milk")]]), ["", "Milk", "Delete"]);
  assert.deepEqual(kept([["table", "", row("Tea")]], [["table", "", row("Milk")]]), [""]);
});

test("a group is matched by its text wherever it is, unless the text is not unique", () => {
  const mail = (/** @type {string} */ subject, role = "group") => [role, "", ["checkbox", ""], subject, ["button", `Delete ${subject}`]];
  const kinds = ["group", "region"];
  for (const role of kinds) {
    const mails = (/** @type {string[]} */ ...subjects) => [["main", "", ...subjects.map((one) => mail(one, role))]];
    assert.deepEqual(kept(mails("Tea", "Milk", "Salt"), mails("Salt", "Milk")).sort(), ["", "", "", "", "", "Delete Milk", "Delete Salt"]);
    assert.deepEqual(kept(mails("Tea", "Tea", "Milk"), mails("Tea", "Milk")).sort(), ["", "", "", "Delete Milk"]);
    assert.deepEqual(kept(mails("Tea", "Milk"), mails("Bread", "Salt")), [""]);
  }
});

test("a field is the same while what is found changes, but a button beside it is not", () => {
  const before = [["textbox", "Search"], ["button", "Buy"], ["list", "", ["listitem", "", "Tea"]]];
  const after = [["textbox", "Search"], ["button", "Buy"], ["list", "", ["listitem", "", "Milk"]]];
  assert.deepEqual(kept(before, after).sort(), ["", "Search"]);
});

test("a field is the same while texts beside it follow its value, but not under another heading", () => {
  const page = (/** @type {string} */ item, /** @type {string} */ count) => [["heading", item], ["textbox", "Note"], count, ["button", "Send"]];
  assert.deepEqual(kept(page("Tea", "0 letters"), page("Tea", "3 letters")), ["Note"]);
  assert.deepEqual(kept(page("Tea", "0 letters"), page("Milk", "0 letters")), []);
});

test("an element that is still there has no successor, and one that was there before is none", () => {
  const old = tree(["document", "", ["button", "Add"]], 100);
  const now = tree(["document", "", ["button", "Add"]], 200);
  assert.equal(successors(old.nodes, now.root, () => false).size, 0);
  const [button] = /** @type {TreeNode[]} */ (now.root.children);
  const seen = new Map([...old.nodes, [button.ref, button]]);
  assert.equal(successors(seen, now.root, () => true).size, 0);
});

test("items that differ only in field values are matched by those values", () => {
  const page = (/** @type {string} */ role, /** @type {string[]} */ ...values) => {
    const items = values.map(() => [role, "", ["textbox", "Item"], ["button", "Delete"]]);
    const made = tree(["document", "", ["list", "", ...items]], values[0] === "Tea" ? 100 : 200);
    const fields = [...made.nodes.values()].filter(({ role }) => role === "textbox");
    for (const [at, field] of fields.entries()) field.value = values[at];
    return made;
  };
  for (const role of ["listitem", "group"])
    assert.equal(successors(page(role, "Tea", "Milk").nodes, page(role, "Milk", "Salt").root, (ref) => ref > 100).size, 1);
});

test("a mail in a list of plain elements keeps its ref while others change", () => {
  /** @param {string} from @param {string} box */
  const mail = (from, box) => ({ role: "generic", name: "", clickable: true, children: [{ role: "generic", name: "", clickable: true, children: [box] }, from] });
  /** @param {any[]} mails @param {number} first */
  const page = (mails, first) => {
    const nodes = new Map();
    const number = (/** @type {any} */ node, ref = (first += 1)) => {
      const numbered = { ...node, ref, children: node.children?.map((/** @type {any} */ child) => (typeof child === "string" ? child : number(child))) };
      nodes.set(ref, numbered);
      return numbered;
    };
    return { root: number({ role: "document", name: "", children: mails }, 1), nodes };
  };
  const before = page([mail("Ada", "☐"), mail("Bob", "☐"), mail("Eve", "☐")], 100);
  const after = page([mail("Ada", "☐"), mail("Bob", "☑"), mail("Eve", "☐")], 200);
  const found = successors(before.nodes, after.root, (ref) => ref > 100);
  assert.deepEqual([...found.values()].map((ref) => before.nodes.get(ref).children.at(-1)).sort(), ["Ada", "Eve", "☐", "☐"]);
});

test("nothing passes on in a cell that stays, once its row says something else", () => {
  const row = (/** @type {string} */ item) => ["row", "", ["cell", "", item], ["cell", "", ["checkbox", ""]]];
  const table = (/** @type {string[]} */ ...items) => tree(["document", "", ["table", "", ...items.map(row)]], 100);
  const passed = (/** @type {string[]} */ ...items) => {
    const before = table("Tea", "Milk");
    const after = table(...items);
    const boxes = [...after.nodes.values()].filter(({ role }) => role === "checkbox");
    for (const box of boxes) box.ref += 100; // they alone are rendered anew
    return successors(before.nodes, after.root, (ref) => before.nodes.get(ref)?.role === "checkbox").size;
  };
  assert.equal(passed("Tea", "Milk"), 2);
  assert.equal(passed("Milk", "Tea"), 0);
});

/** How often the name of a child is read, where this many are beside each other and one of them has changed. @param {number} count */
function readsOfNames(count) {
  let reads = 0;
  const days = (/** @type {string} */ last) => [...Array.from({ length: count }, (_, day) => ["generic", `Day ${day}`]), ["generic", last]];
  const old = tree(["document", "", ...days("open")], 100 * count);
  const now = tree(["document", "", ...days("booked")], 200 * count);
  for (const node of [...old.nodes.values(), ...now.nodes.values()]) {
    const { name } = node;
    Object.defineProperty(node, "name", { enumerable: true, get: () => ((reads += 1), name) });
  }
  successors(old.nodes, now.root, (ref) => ref > 1);
  return reads;
}

test("each of many children beside each other is looked at no more often than each of a few", () => {
  assert.ok(readsOfNames(400) < 5 * readsOfNames(100));
});
