// Which new elements have taken the place of elements that are gone: frameworks that render by `innerHTML` replace
// everything by equal elements. A successor keeps the ref, so that what a client has seen can still be acted on; a ref
// must never come to name something else, so that whatever is not certain is no successor.
//
// The tree that the client has seen is compared with the tree now, from elements that are still there downwards. A
// successor has the same role, name and content, is the only one like that inside what took the place of its parent, and
// what was beside it is still beside it. Of equal siblings each has a successor only if all of them are as they were;
// what fields in them hold, or pictures without a name show, may be all that tells items apart.

import { INTERACTIVE } from "../accessibility/roles/aria.js";
import { OWN_HINTS } from "./hints.js";

/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */

/** Without a name, nobody but a person knows what they show. */
const PICTURES = new Set(["canvas", "image"]);

/** Their contents are values. */
const FIELDS = new Set("combobox searchbox slider spinbutton textbox".split(" "));

/**
 * For the ref of each new element in `after` that has taken the place of one in `before` that is gone, the latter's.
 * @param {ReadonlyMap<number, TreeNode>} before the nodes of the tree that the client has seen, by ref
 * @param {TreeNode} after
 * @param {(ref: number) => boolean} isGone
 * @param {(ref: number) => number[]} former the refs that an element has had, the newest first
 * @returns {Map<number, number>}
 */
export function successors(before, after, isGone, former = (ref) => [ref]) {
  /** @type {Map<number, number>} */
  const found = new Map();
  const known = (/** @type {TreeNode} */ node) => former(node.ref).map((ref) => before.get(ref)).find((was) => was !== undefined);
  const pairs = [...nodesInSameItems(known, after)];
  for (let pair = pairs.pop(); pair; pair = pairs.pop())
    for (const [was, now] of successorsIn(pair[0].children ?? [], pair[1].children ?? [])) {
      if (!isGone(was.ref) || before.has(now.ref)) continue;
      found.set(now.ref, was.ref);
      pairs.push([was, now]);
    }
  return found;
}

/**
 * The children that are certainly the same, by what they are and where.
 * @param {Child[]} before
 * @param {Child[]} after
 * @returns {Generator<[TreeNode, TreeNode]>}
 */
function* successorsIn(before, after) {
  if (before.length === 0 || after.length === 0) return;
  const several = ownKeysOfSeveral(before, after);
  const were = before.map((child) => keyOf(child, several));
  const are = after.map((child) => keyOf(child, several));
  const placesBefore = places(were);
  const placesAfter = places(are);
  const pictured = before.some(isPictured);
  const holdersStay = once(() => holdersRemain(before, after));
  const areas = once(() => ({ was: besideEach(before), now: besideEach(after) }));
  const same =
    were.length === are.length &&
    were.every(
      (key, at) => key === are[at] && (placesBefore.get(key)?.length === 1 || (!pictured && haveSameValues(before[at], after[at]))),
    );
  for (const [at, was] of before.entries()) {
    if (typeof was === "string") continue;
    const key = were[at];
    const alone = placesBefore.get(key)?.length === 1 && placesAfter.get(key)?.length === 1;
    if (!same && !alone) continue;
    const to = same ? at : (placesAfter.get(key)?.[0] ?? -1);
    const now = after[to];
    if (typeof now !== "object") continue;
    if (SECTIONS.has(was.role) && !isPartOf(piecesOf(was), piecesOf(now))) continue;
    // What a field is for is its name. What else is beside it, such as how many letters it holds, follows from its value.
    const onlyHeadings = FIELDS.has(was.role) && was.name !== "";
    if (!isApart(was) && !isBeside(areas(), at, to, onlyHeadings)) continue;
    if (!isApart(was) && !FIELDS.has(was.role) && !holdersStay()) continue;
    yield [was, now];
  }
}

/**
 * @param {string[]} keys
 * @returns {Map<string, number[]>}
 */
function places(keys) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  for (const [at, key] of keys.entries()) {
    const others = found.get(key);
    if (others) others.push(at);
    else found.set(key, [at]);
  }
  return found;
}

/**
 * The identity of a child, without states and values: a holder, or the only section of its kind and name, whatever it contains.
 * @param {Child} child
 * @param {ReadonlySet<string>} [several] the keys of sections that there are several of
 */
function keyOf(child, several) {
  if (typeof child === "string") return textKey(child);
  const own = ownKey(child);
  if (HOLDERS.has(child.role) || (SECTIONS.has(child.role) && !several?.has(own))) return own;
  return JSON.stringify([own, ...piecesOf(child)]);
}

/**
 * The keys of sections which are not the only ones of their kind and name, before or after: rows of mails or cards.
 * @param {Child[]} before
 * @param {Child[]} after
 */
function ownKeysOfSeveral(before, after) {
  /** @type {Set<string>} */
  const several = new Set();
  for (const children of [before, after]) {
    /** @type {Set<string>} */
    const seen = new Set();
    for (const child of children) {
      if (typeof child === "string" || !SECTIONS.has(child.role)) continue;
      const key = ownKey(child);
      if (seen.has(key)) several.add(key);
      seen.add(key);
    }
  }
  return several;
}

/** @param {TreeNode} node */
function ownKey({ role, name, url, hint }) {
  const look = hint && OWN_HINTS.has(hint[0]) ? hint : undefined;
  return JSON.stringify([role, name, url, look]);
}

/** @param {string} text */
function textKey(text) {
  return JSON.stringify(text.trim());
}

/**
 * The contents of a node, in document order.
 * @param {TreeNode} node
 * @returns {string[]}
 */
function piecesOf(node) {
  if (FIELDS.has(node.role)) return [];
  return (node.children ?? []).flatMap((child) =>
    typeof child === "string" ? [textKey(child)] : [ownKey(child), ...piecesOf(child)],
  );
}

/**
 * Whether there is a picture without a name, which may be what tells equal items apart.
 * @param {Child} child
 * @returns {boolean}
 */
function isPictured(child) {
  if (typeof child === "string") return false;
  return (PICTURES.has(child.role) && !child.name) || (child.children ?? []).some(isPictured);
}

/**
 * Whether fields in two items hold the same.
 * @param {Child} one
 * @param {Child} other
 */
function haveSameValues(one, other) {
  if (typeof one === "string" || typeof other === "string" || !(ITEMS.has(one.role) || SECTIONS.has(one.role))) return true;
  return JSON.stringify(valuesIn(one)) === JSON.stringify(valuesIn(other));
}

/**
 * @param {TreeNode} node
 * @returns {(string | undefined)[]}
 */
function valuesIn(node) {
  return [node.value, ...(node.children ?? []).flatMap((child) => (typeof child === "string" ? [] : valuesIn(child)))];
}

/**
 * A value that is found out when it is needed first.
 * @template T
 * @param {() => T} find
 * @returns {() => T}
 */
function once(find) {
  /** @type {{ value: T } | undefined} */
  let found;
  return () => (found ??= { value: find() }).value;
}

/**
 * What is said of each of some children to those beside it: what it is, whether it stands apart, whether it is a heading.
 * @typedef {{ keys: string[], apart: boolean[], headings: boolean[] }} Beside
 */

/**
 * @param {Child[]} children
 * @returns {Beside}
 */
function besideEach(children) {
  return {
    keys: children.map((child) => keyOf(child)),
    apart: children.map(isApart),
    headings: children.map((child) => typeof child === "object" && child.role === "heading"),
  };
}

/**
 * Whether all that was beside a child, up to the next one that stands apart, is beside the other.
 * @param {{ was: Beside, now: Beside }} areas
 * @param {number} at
 * @param {number} to
 * @param {boolean} onlyHeadings whether nothing else counts
 */
function isBeside({ was, now }, at, to, onlyHeadings) {
  return [-1, 1].every((step) => isPartOf(beside(was, at, step, onlyHeadings), beside(now, to, step, onlyHeadings)));
}

/**
 * What is beside a child in one direction, nearest first, up to the next one that stands apart.
 * @param {Beside} children
 * @param {number} from
 * @param {number} step
 * @param {boolean} onlyHeadings
 */
function beside({ keys, apart, headings }, from, step, onlyHeadings) {
  const found = [];
  for (let at = from + step; at >= 0 && at < keys.length && !apart[at]; at += step)
    if (!onlyHeadings || headings[at]) found.push(keys[at]);
  return found;
}

/**
 * Whether the lists and sections among the children still hold at least half of what they held: otherwise these are the
 * contents of something else, such as of another tab.
 * @param {Child[]} before
 * @param {Child[]} after
 */
function holdersRemain(before, after) {
  const now = apart(after);
  for (const [key, nodes] of apart(before))
    for (const [at, node] of nodes.entries()) {
      const other = now.get(key)?.[at];
      if (!other) return false;
      const pieces = wordsOf(node);
      const left = new Map();
      for (const piece of wordsOf(other)) left.set(piece, (left.get(piece) ?? 0) + 1);
      const kept = pieces.filter((piece) => {
        const count = left.get(piece) ?? 0;
        left.set(piece, count - 1);
        return count > 0;
      });
      if (kept.length * 2 < pieces.length) return false;
    }
  return true;
}

/**
 * @param {Child[]} children
 * @returns {Map<string, TreeNode[]>}
 */
function apart(children) {
  /** @type {Map<string, TreeNode[]>} */
  const found = new Map();
  for (const child of children) {
    if (typeof child === "string" || !(HOLDERS.has(child.role) || SECTIONS.has(child.role))) continue;
    const others = found.get(ownKey(child));
    if (others) others.push(child);
    else found.set(ownKey(child), [child]);
  }
  return found;
}

// Whether an item that is still on the page is still for the same: a table that is sorted or scrolled may keep its rows and
// cells, and show others in them.

/**
 * The nodes that are in no item, or in one that says the same as before, with what they were before.
 * @param {(node: TreeNode) => TreeNode | undefined} before
 * @param {TreeNode} node
 * @param {boolean} same whether the item that it is in does
 * @returns {Generator<[TreeNode, TreeNode]>}
 */
export function* nodesInSameItems(before, node, same = true) {
  const was = same ? before(node) : undefined;
  if (was) yield [was, node];
  for (const child of node.children ?? [])
    if (typeof child !== "string") yield* nodesInSameItems(before, child, isItem(child) ? saysAll(before(child), child) : same);
}

/**
 * @param {TreeNode | undefined} was
 * @param {TreeNode} now
 */
function saysAll(was, now) {
  return was !== undefined && was.name === now.name && isPartOf(wordsOf(was), wordsOf(now));
}

/**
 * The texts and names in a node.
 * @param {TreeNode} node
 * @returns {string[]}
 */
export function wordsOf(node) {
  return (node.children ?? []).flatMap((child) =>
    typeof child === "string" ? [child.trim()] : [...(child.name ? [child.name] : []), ...wordsOf(child)],
  );
}

/**
 * Whether all pieces are among the others, in the same order.
 * @param {string[]} pieces
 * @param {string[]} others
 */
export function isPartOf(pieces, others) {
  let at = 0;
  for (const other of others) if (other === pieces[at]) at += 1;
  return at === pieces.length;
}

/** They hold items or sections, and remain the same while those change. */
export const HOLDERS = new Set(
  `application banner complementary contentinfo document feed form grid list listbox main menu menubar navigation rowgroup
  search table tablist toolbar tree treegrid`.split(/\s+/),
);

/** Others of these look alike: a successor has all that was in it. */
export const SECTIONS = new Set("alertdialog dialog group radiogroup region tabpanel".split(" "));

/** They stand apart from what is beside them. */
export const ITEMS = new Set("article comment listitem row treeitem".split(" "));

/** Whether a child stands apart from what is beside it. @param {Child} child */
export function isApart(child) {
  if (typeof child === "string") return false;
  return isItem(child) || HOLDERS.has(child.role) || SECTIONS.has(child.role);
}

/** Whether a node is one of several like it: a row, an article, a list item. @param {TreeNode} node */
export function isItem(node) {
  return ITEMS.has(node.role) || isPlainItem(node);
}

/**
 * Whether this is an item without the role of one: something to press as a whole, with words and controls in it.
 * @param {TreeNode} node
 */
function isPlainItem({ role, clickable, children = [] }) {
  return role === "generic" && clickable === true && children.some(isPressed) && children.some(isWords);
}

/** @param {Child} child */
function isPressed(child) {
  return typeof child === "object" && (child.clickable === true || INTERACTIVE.has(child.role));
}

/** @param {Child} child */
function isWords(child) {
  return typeof child === "string" && /\p{L}/u.test(child);
}
