// The elements of Kapture's own that a page may hold: the hosts of the recorder's widget (kapture/page/widget/) and of what
// shows that a client acts (picture/shown.js). Nothing in the agent sees them, or counts their coming and going as a change
// of the page. What a person types into the widget is kept from the page.

import { state } from "../state.js";

/** Events that say what is typed. They pass through the page, although they belong to a closed shadow root. */
const TYPED = [
  "keydown", "keypress", "keyup", "beforeinput", "textInput", "input", "compositionstart", "compositionupdate", "compositionend", "cut", "copy", "paste",
];

const OPTIONS = { capture: true, passive: false };

/**
 * Leave an element out of all that the agent sees, because it is Kapture's own.
 * @param {Element} host
 * @param {(event: Event) => void} hear gets what is typed into it
 */
export function adoptOwnElement(host, hear) {
  ownElement({ host, hear });
  listenForOwnInput(); // document.open() takes all listeners away
}

/** Leave another element out, also while it is being removed. @param {import("../state.js").Own} own */
export function ownElement(own) {
  state.own = [...state.own.filter(({ host }) => host.isConnected && host !== own.host), own];
}

/** Listen from the start, so that no listener of the page comes before. */
export function listenForOwnInput() {
  for (const kind of TYPED) addEventListener(kind, keep, OPTIONS);
}

/** @param {Event} event */
function keep(event) {
  const own = state.own.find(({ host }) => host === event.target);
  if (!own) return;
  event.stopImmediatePropagation();
  own.hear?.(event);
}

/**
 * Whether this is Kapture's own element; an event inside it has it as its target, too.
 * @param {EventTarget | null} target
 */
export function isOwn(target) {
  return target !== null && state.own.some(({ host }) => host === target);
}

/**
 * An observer of what the page changes.
 * @param {(records: MutationRecord[]) => void} notice
 */
export function pageObserver(notice) {
  const observer = new MutationObserver((records) => {
    const changes = records.filter(isOfPage);
    if (changes.length > 0) notice(changes);
  });
  const take = observer.takeRecords.bind(observer);
  observer.takeRecords = () => take().filter(isOfPage);
  return observer;
}

/** @param {MutationRecord} record */
function isOfPage({ target, addedNodes, removedNodes }) {
  if (isOwn(target)) return false;
  const nodes = [...addedNodes, ...removedNodes];
  return nodes.length === 0 || !nodes.every(isOwn);
}
