// Closed shadow roots, which scripts cannot see: the hub asks the browser for them, once for each element that may have
// one, and passes them to the agent.

import { state } from "../state.js";
import { shadowRootOf } from "./flat_tree.js";
import { isOwn } from "./own_element.js";
import { Reading } from "./reading.js";

const { closedRoots, listeners } = state;

/**
 * Include a closed shadow root in the tree.
 * @param {ShadowRoot} root
 */
export function adoptShadowRoot(root) {
  closedRoots.byHost.set(root.host, root);
  closedRoots.any = true;
  listeners.changed = true; // those in it are not known yet
}

/** HTML elements that may be shadow hosts, which they hardly are unless they have no contents, or contents for a slot. */
const PLAIN_HOSTS = "article,aside,blockquote,div,footer,h1,h2,h3,h4,h5,h6,header,main,nav,p,section,span";

/** A page with more consists of empty boxes, not of components. */
const MOST = 150;

/** How many elements with contents are asked about at once. */
const MOST_SUSPECTS = 2_000;

/** How often the hub is asked about an element that a person points at; about one with contents once. */
const MOST_SUSPICIONS = 5;

/**
 * How many elements the hub should ask about before it relies on an answer that ignores closed roots.
 * @param {Reading} reading
 */
export function countHosts(reading) {
  return candidates(reading).length;
}

/** The elements to ask about; they are not asked about again, unless they change. */
export function takeHosts() {
  const taken = candidates(new Reading());
  for (const element of taken) closedRoots.asked.set(element, lookOf(element));
  closedRoots.suspects.clear();
  return taken;
}

/**
 * Ask about plain elements that have contents, too, as far as that was not done before.
 * @param {Reading} reading
 */
export function suspectAll(reading) {
  for (const scope of reading.scopes()) {
    for (const element of scope.querySelectorAll(PLAIN_HOSTS)) {
      if (closedRoots.suspects.size === MOST_SUSPECTS) return;
      if (!closedRoots.asked.has(element) && !shadowRootOf(element) && !isOwn(element)) closedRoots.suspects.add(element);
    }
  }
}

/**
 * Ask about an element again, for a root may have been attached since. Returns whether it may have one.
 * @param {Element} element
 */
export function suspect(element) {
  if (shadowRootOf(element) || isOwn(element) || !(isCustom(element) || element.matches(PLAIN_HOSTS))) return false;
  const obvious = isCustom(element) || isBlank(element);
  const times = closedRoots.suspected.get(element) ?? 0;
  if (times >= (obvious ? MOST_SUSPICIONS : 1)) return false;
  closedRoots.suspected.set(element, times + 1);
  closedRoots.asked.delete(element);
  if (!obvious) closedRoots.suspects.add(element);
  return true;
}

/**
 * The suspects, and of the others only the first ones, if there are more than `MOST`.
 * @param {Reading} reading
 */
function candidates(reading) {
  const found = Array.from(closedRoots.suspects).filter((element) => element.isConnected && !shadowRootOf(element));
  const most = found.length + MOST;
  for (const element of reading.customElements()) {
    if (found.length === most) return found;
    if (!isOwn(element) && !shadowRootOf(element) && isChanged(element)) found.push(element);
  }
  for (const scope of reading.scopes()) {
    for (const { parentElement } of scope.querySelectorAll("[slot]")) {
      if (found.length === most) return found;
      if (!parentElement?.matches(PLAIN_HOSTS) || shadowRootOf(parentElement) || found.includes(parentElement)) continue;
      if (isChanged(parentElement)) found.push(parentElement);
    }
    for (const element of scope.querySelectorAll(PLAIN_HOSTS)) {
      if (found.length === most) return found;
      if (!isBlank(element) || isOwn(element) || shadowRootOf(element)) continue;
      if (element.getClientRects().length > 0 && isChanged(element)) found.push(element);
    }
  }
  return found;
}

/** @param {Element} element */
function isCustom(element) {
  return element.localName.includes("-");
}

/** Whether it has nothing but white space in it. @param {Element} element */
function isBlank(element) {
  return element.firstElementChild === null && !/\S/.test(element.textContent ?? "");
}

/** Whether it looks otherwise than when it was asked about. @param {Element} element */
function isChanged(element) {
  const before = closedRoots.asked.get(element);
  return before === undefined || before !== lookOf(element);
}

/**
 * What a root that is attached later changes: a custom element is defined then, or an element has a height.
 * @param {Element} element
 */
function lookOf(element) {
  return `${element.matches(":defined")} ${element.getBoundingClientRect().height > 0}`;
}
