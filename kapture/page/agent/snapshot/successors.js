// Which new elements have taken the place of elements that are gone: frameworks that render by `innerHTML` replace
// everything by equal elements. A successor keeps the ref, so that what a client has seen can still be acted on; a ref
// must never come to name something else, so that whatever is not certain is no successor.
//
// The tree that the client has seen is compared with the tree now, from elements that are still there downwards. A
// successor has the same role, name and content, is the only one like that inside what took the place of its parent, and
// what was beside it is still beside it. Of equal siblings each has a successor only if all of them are as they were;
// what fields in them hold, or pictures without a name show, may be all that tells items apart.

import { HOLDERS, isApart, ITEMS, SECTIONS } from "./apart.js";
import { OWN_HINTS } from "./hints.js";
import { isPartOf, nodesInSameItems, wordsOf } from "./same_items.js";

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
 * What a child is, without states and values: a holder, or the only section of its kind and name, whatever it contains.
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
 * What a node contains, in document order.
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
