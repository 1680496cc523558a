// Elements on which the page listens for clicks. Scripts cannot find out; the hub asks the browser before the agent
// reads the page, unless nothing can have changed since the last time.

import { state } from "../state.js";
import { treeScopes } from "./flat_tree.js";
import { pageObserver } from "./own_element.js";

const { listeners } = state;

/** While a page is loading, and for this time afterwards, listeners are added without changes of the document. */
const SETTLING_MS = 3000;

/** If nothing has changed, they are asked for no more often than this. */
const AGAIN_MS = 250;

/** Whether the hub should ask before the page is read. */
export function listenersAreStale() {
  if (listeners.answered) return false;
  if (listeners.askedAt === undefined || listeners.changed) return true;
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  const loaded = navigation?.loadEventEnd || Infinity;
  return listeners.askedAt - loaded < SETTLING_MS && performance.now() - listeners.askedAt > AGAIN_MS;
}

/** Shadow roots, each of which the hub asks about separately. */
export function shadowRoots() {
  return treeScopes().slice(1);
}

/** A number that changes whenever there are other shadow roots than before; 0 as long as there are none. */
export function rootsVersion() {
  const roots = shadowRoots();
  if (roots.length !== listeners.roots.length || roots.some((root, at) => listeners.roots[at].deref() !== root)) {
    listeners.roots = roots.map((root) => new WeakRef(root));
    listeners.rootsVersion += 1;
  }
  return listeners.rootsVersion;
}

/**
 * Remember elements by backend node id, for the next list of listeners.
 * @param {number[]} ids
 * @param {Element[]} elements
 */
export function rememberNodes(ids, elements) {
  for (const [at, id] of ids.entries()) listeners.nodes.set(id, new WeakRef(elements[at]));
}

/**
 * Store what is listened to: backend node ids of elements with listeners, and the answer of the page's main world
 * (dom/listeners.main.js), null if there is none.
 * @param {number[]} ids
 * @param {string | null} answer
 */
export function adoptListeners(ids, answer) {
  listeners.answered = true;
  listeners.askedAt = performance.now();
  listeners.nodes = new Map(Array.from(listeners.nodes).filter(([id]) => ids.includes(id)));
  /** @type {Element[]} */
  const elements = [];
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [];
  collect(document, elements, roots);
  const [, count, delegates, delegators] = /^(\d+);([\d,]*);([\d,]*)$/.exec(answer ?? "") ?? [];
  // Numbers are invalid if the document has changed in between.
  listeners.changed = count !== undefined && Number(count) !== elements.length;
  const numbered = (/** @type {string | undefined} */ list) =>
    listeners.changed || !list ? [] : list.split(",").map((at) => elements[Number(at)]).filter(Boolean);
  listeners.listenedTo = new WeakSet();
  for (const node of listeners.nodes.values()) {
    const element = node.deref();
    if (element) listeners.listenedTo.add(element);
  }
  for (const element of numbered(delegators)) listeners.listenedTo.delete(element);
  for (const element of numbered(delegates)) listeners.listenedTo.add(element);
  watch(roots);
}

/**
 * Elements in the order in which the page script numbers them: those of a tree, then those of its open shadow trees.
 * @param {Document | ShadowRoot} root
 * @param {Element[]} elements
 * @param {(Document | ShadowRoot)[]} roots
 */
function collect(root, elements, roots) {
  roots.push(root);
  const inner = [];
  for (const element of root.querySelectorAll("*")) {
    elements.push(element);
    if (element.shadowRoot) inner.push(element.shadowRoot);
  }
  for (const shadow of inner) collect(shadow, elements, roots);
}

/**
 * Observe added elements, once.
 * @param {(Document | ShadowRoot)[]} roots
 */
function watch(roots) {
  listeners.observer?.disconnect();
  const observer = pageObserver((records) => {
    if (!records.some(({ addedNodes }) => Array.from(addedNodes).some((node) => node.nodeType === Node.ELEMENT_NODE))) return;
    listeners.changed = true;
    observer.disconnect();
  });
  for (const root of roots) observer.observe(root, { childList: true, subtree: true });
  listeners.observer = observer;
}

/**
 * Whether the page listens for clicks on the element itself.
 * @param {Element} element
 */
export function isListenedTo(element) {
  return listeners.listenedTo.has(element);
}
