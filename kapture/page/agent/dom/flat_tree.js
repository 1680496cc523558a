// The flat tree: the document as it is rendered, with shadow roots instead of their hosts' children and
// slotted nodes in their slots.

import { state } from "../state.js";

const { closedRoots } = state;

/**
 * The shadow root, open or adopted.
 * @param {Element} element
 * @returns {ShadowRoot | undefined}
 */
export function shadowRootOf(element) {
  return element.shadowRoot ?? (closedRoots.any ? closedRoots.byHost.get(element) : undefined);
}

/**
 * Children in the flat tree.
 * @param {Element} element
 * @returns {Node[]}
 */
export function flatChildren(element) {
  const assigned = assignedNodes(element);
  if (assigned) return assigned;
  /** @type {Node[]} */
  const children = [];
  // Walking siblings is twice as fast as a live list.
  for (let child = firstChild(element); child; child = child.nextSibling) children.push(child);
  return children;
}

/**
 * The nodes assigned to the element, if it is a slot and there are any: its children in the flat tree. The children of
 * all other elements are `firstChild` and its siblings.
 * @param {Element} element
 * @returns {Node[] | undefined}
 */
export function assignedNodes(element) {
  if (element.localName !== "slot" || !(element.getRootNode() instanceof ShadowRoot)) return undefined;
  const assigned = /** @type {HTMLSlotElement} */ (element).assignedNodes();
  return assigned.length > 0 ? assigned : undefined;
}

/**
 * The first child in the flat tree, if nothing is assigned.
 * @param {Element} element
 * @returns {Node | null}
 */
export function firstChild(element) {
  return (shadowRootOf(element) ?? element).firstChild;
}

/**
 * Parent element in the flat tree; null at the top, and for a child of a shadow host that is not slotted.
 * @param {Node} node
 * @returns {Element | null}
 */
export function flatParent(node) {
  const parent = node.parentNode;
  if (parent instanceof ShadowRoot) return parent.host;
  if (!(parent instanceof Element)) return null;
  const root = shadowRootOf(parent);
  if (!root) return parent;
  const slot = /** @type {Element | Text} */ (node).assignedSlot;
  return slot ?? closedSlot(root, node);
}

/**
 * The slot in a closed root, for which `assignedSlot` returns null.
 * @param {ShadowRoot} root
 * @param {Node} node
 */
function closedSlot(root, node) {
  if (root.mode !== "closed") return null;
  for (const slot of root.querySelectorAll("slot")) if (slot.assignedNodes().includes(node)) return slot;
  return null;
}

/**
 * Ancestors in the flat tree, nearest first, without the element itself.
 * @param {Node} node
 */
export function* flatAncestors(node) {
  for (let parent = flatParent(node); parent; parent = flatParent(parent)) yield parent;
}

/**
 * The nearest element, from this one upwards in the flat tree, that matches the selector.
 * @param {Element} element
 * @param {string} selector
 */
export function flatClosest(element, selector) {
  for (let at = /** @type {Element | null} */ (element); at; at = flatParent(at)) if (at.matches(selector)) return at;
  return null;
}

/**
 * Every document tree and shadow tree below a root that scripts or the hub can access, the root first. A list, because
 * V8 does not optimize a loop that runs long within one call of a generator.
 * @param {Document | ShadowRoot} root
 * @param {(Document | ShadowRoot)[]} found
 * @param {Element[]} [custom] filled with elements whose names have a hyphen, like those of custom elements
 */
export function treeScopes(root = document, found = [], custom = undefined) {
  found.push(root);
  const elements = root.querySelectorAll("*");
  const { length } = elements;
  for (let at = 0; at < length; at += 1) {
    const element = elements[at];
    const inner = shadowRootOf(element);
    if (inner) treeScopes(inner, found, custom);
    if (custom !== undefined && element.localName.includes("-")) custom.push(element);
  }
  return found;
}

/**
 * Whether one element is inside another, across shadow roots.
 * @param {Element} outer
 * @param {Element} inner
 */
export function holds(outer, inner) {
  if (outer.contains(inner)) return true;
  for (let at = flatParent(inner); at; at = flatParent(at)) if (at === outer) return true;
  return false;
}

// The root element. A document has none before anything of it is parsed, when a script has removed it, and when one has
// opened the document anew (document.open) and written nothing yet: then an empty element stands in its place.

const XHTML = "http://www.w3.org/1999/xhtml";

/** The root element, or what stands in its place. @returns {Element} */
export function rootElement() {
  return document.documentElement ?? (state.empty.standIn ??= document.createElementNS(XHTML, "html"));
}

/** What scrolls the page. */
export function rootScroller() {
  return document.scrollingElement ?? rootElement();
}
