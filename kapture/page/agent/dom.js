// The flat tree: the document as it is rendered, with shadow roots in the place of their hosts' children and
// slotted nodes in the place of their slots. And what the hub tells the agent about nodes that scripts cannot see.

/** Shadow roots that scripts of the page closed, as the hub handed them in. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();

let anyClosed = false;

/** @type {WeakMap<Element, string>} */
const frameKeys = new WeakMap();
/** The same the other way round: frames in closed shadow roots are found by no search. @type {Map<string, WeakRef<Element>>} */
const frameElements = new Map();

/**
 * Make a closed shadow root part of the tree.
 * @param {ShadowRoot} root
 */
export function adoptShadowRoot(root) {
  closedRoots.set(root.host, root);
  anyClosed = true;
}

/**
 * Remember under which key the hub knows the frame that this element shows.
 * @param {Element} element
 * @param {string} key
 */
export function adoptFrame(element, key) {
  frameKeys.set(element, key);
  frameElements.set(key, new WeakRef(element));
}

/**
 * The element on the page that shows a frame.
 * @param {string} key
 */
export function elementOfFrame(key) {
  const element = frameElements.get(key)?.deref();
  return element?.isConnected ? element : undefined;
}

/** @param {Element} element */
export function frameKey(element) {
  return frameKeys.get(element);
}

/**
 * The shadow root, open or handed in.
 * @param {Element} element
 * @returns {ShadowRoot | undefined}
 */
export function shadowRootOf(element) {
  return element.shadowRoot ?? (anyClosed ? closedRoots.get(element) : undefined);
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
  // Going from one to the next is twice as fast as a live list of them.
  for (let child = firstChild(element); child; child = child.nextSibling) children.push(child);
  return children;
}

/**
 * What is slotted into the element, if it is a slot and anything is: its children in the flat tree. Those of all other
 * elements go from `firstChild` from sibling to sibling.
 * @param {Element} element
 * @returns {Node[] | undefined}
 */
export function assignedNodes(element) {
  if (element.localName !== "slot" || !(element.getRootNode() instanceof ShadowRoot)) return undefined;
  const assigned = /** @type {HTMLSlotElement} */ (element).assignedNodes();
  return assigned.length > 0 ? assigned : undefined;
}

/**
 * The first child in the flat tree, where nothing is assigned.
 * @param {Element} element
 * @returns {Node | null}
 */
export function firstChild(element) {
  return (shadowRootOf(element) ?? element).firstChild;
}

/**
 * Parent element in the flat tree; null at the top, and for a child of a shadow host that no slot shows.
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
 * `assignedSlot` answers null for a closed root.
 * @param {ShadowRoot} root
 * @param {Node} node
 */
function closedSlot(root, node) {
  if (root.mode !== "closed") return null;
  for (const slot of root.querySelectorAll("slot")) if (slot.assignedNodes().includes(node)) return slot;
  return null;
}

/**
 * Ancestors in the flat tree, nearest first, the element itself left out.
 * @param {Node} node
 */
export function* flatAncestors(node) {
  for (let parent = flatParent(node); parent; parent = flatParent(parent)) yield parent;
}

/**
 * The nearest element, from this one upwards in the flat tree, that matches.
 * @param {Element} element
 * @param {string} selector
 */
export function flatClosest(element, selector) {
  for (let at = /** @type {Element | null} */ (element); at; at = flatParent(at)) if (at.matches(selector)) return at;
  return null;
}

/**
 * Elements that an attribute of IDs names, in its order, in the element's own tree; or those set by reflection
 * (`ariaLabelledByElements`), which need no IDs.
 * @param {Element} element
 * @param {string} attribute
 * @returns {Element[]}
 */
export function referenced(element, attribute) {
  const ids = element.getAttribute(attribute);
  if (ids === null) return [];
  if (ids.trim() === "") return reflected(element, attribute);
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  if (!("getElementById" in root)) return [];
  /** @type {Element[]} */
  const found = [];
  for (const id of ids.trim().split(/\s+/)) {
    const one = root.getElementById(id);
    if (one && !found.includes(one)) found.push(one);
  }
  return found;
}

const REFLECTIONS = /** @type {Record<string, string>} */ ({
  "aria-labelledby": "ariaLabelledByElements",
  "aria-describedby": "ariaDescribedByElements",
  "aria-owns": "ariaOwnsElements",
});

/**
 * @param {Element} element
 * @param {string} attribute
 * @returns {Element[]}
 */
function reflected(element, attribute) {
  const property = REFLECTIONS[attribute];
  return (property && /** @type {any} */ (element)[property]) || [];
}

/**
 * Every document tree and shadow tree below a root that scripts or the hub can reach, the root first. A list, for
 * V8 does not optimize a loop that runs long within one call of a generator.
 * @param {Document | ShadowRoot} root
 * @param {(Document | ShadowRoot)[]} found
 */
export function treeScopes(root = document, found = []) {
  found.push(root);
  const elements = root.querySelectorAll("*");
  const { length } = elements;
  for (let at = 0; at < length; at += 1) {
    const inner = shadowRootOf(elements[at]);
    if (inner) treeScopes(inner, found);
  }
  return found;
}

/**
 * The element that the keyboard acts on, through shadow roots and aria-activedescendant; null when it is the page.
 * @returns {Element | null}
 */
export function focusedElement() {
  let active = document.activeElement;
  for (let root = active && shadowRootOf(active); root?.activeElement; root = shadowRootOf(active)) active = root.activeElement;
  if (active === null || active === document.body || active === document.documentElement) return null;
  const [descendant] = referenced(active, "aria-activedescendant");
  return descendant ?? active;
}
