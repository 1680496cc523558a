// Changes in this document: spontaneous ones, and those since an action began. When the action is over, the hub decides
// (kapture/page/settling/table.py, which holds all times).
//
// What changes by itself is recognised by one rule: the same thing (an attribute of an element, its text, its children, its
// scroll position) has changed twice before, each time at most `byItself` ms earlier, when nobody had acted for
// `atMost` ms. Clocks, tickers and spinners do. Such a change counts for nothing: it is neither waited for nor reported.

import { describe } from "../../accessibility/describe.js";
import { shadowRootOf, treeScopes } from "../../dom/flat_tree.js";
import { pageObserver } from "../../dom/own_element.js";
import { Reading } from "../../dom/reading.js";
import { collapse } from "../../dom/text/text.js";
import { queuedTasks } from "../../dom/waiting.js";
import { state } from "../../state.js";
import { openedChooser } from "./file_chooser.js";
import { refusedForm } from "./refused_form.js";
import { noteStyle, restyled, watchStyles } from "./restyled.js";
import { listenForScrolling, scrolled, watchScrolling } from "./scrolled.js";
import { goneMessages, noteMessages, watchMessages } from "./transients.js";

const { changes, times } = state;

/** What a person, or the hub, acts with. */
const INPUT = ["pointerdown", "pointerup", "keydown", "keyup", "input", "wheel", "drop"];

/** Further changes at one time are not looked at one by one, and further changed parts are taken to be shown. */
const MOST_RECORDS = 1000;
const MOST_PENDING = 100;

/** The limits of fields whose values are compared, of parts of the page that change by themselves, and of the elements and the
 * characters of one. */
const MOST_FIELDS = 300;
const MOST_PARTS = 50;
const MOST_ELEMENTS = 300;
const LONGEST = 120;

/** A number as it is shown, with the sign before it. */
const NUMBER = /[+\-−▲▼↑↓]?[0-9]+(?:[.,:][0-9]+)*/g;

/** Observe the document from its beginning. */
export function observeChanges() {
  listen();
  changes.observer ??= pageObserver(note);
  changes.observer.observe(document, ANY_CHANGE);
}

/** `document.open()` removes all listeners. */
function listen() {
  for (const kind of INPUT) addEventListener(kind, noteInput, { capture: true, passive: true });
  addEventListener("toggle", noteToggle, { capture: true, passive: true });
  listenForScrolling(changed);
}

/** @param {Event} event */
function noteInput({ type, isTrusted, target }) {
  if (!isTrusted) return;
  changes.inputAt = performance.now();
  if (type === "input") changes.values.delete(/** @type {HTMLInputElement} */ (target)); // the action itself, and nothing that it has caused
}

/** Popovers open without a change of the document. @param {Event} event */
function noteToggle({ target }) {
  if (target instanceof Element) changed(target, "toggle");
}

/** Before an action: forget what has changed so far. */
export function watch() {
  note(changes.observer?.takeRecords() ?? []);
  const scopes = treeScopes();
  listen();
  for (const scope of scopes) changes.observer?.observe(scope, ANY_CHANGE);
  changes.any = false;
  changes.pending.clear();
  changes.inputAt = changes.last = performance.now();
  changes.animations = new WeakSet(document.getAnimations());
  changes.values = new Map(fields().map((field) => [field, valueOf(field)]));
  watchMessages(scopes);
  watchScrolling(scopes);
  watchStyles();
  return null;
}

/**
 * The changes since `watch`, how long ago the last change was, in milliseconds, and whether an animation that has begun
 * since still runs. `tasks`: let queued tasks run first.
 * @param {{ tasks?: boolean }} args
 */
export async function effects({ tasks = false }) {
  if (tasks) await queuedTasks();
  note(changes.observer?.takeRecords() ?? []);
  const drawn = changedPicture();
  const shown = [...changes.pending].filter(([part]) => changes.pending.size === MOST_PENDING || isShown(part)).map(([, at]) => at);
  changes.pending.clear();
  changes.last = Math.max(changes.last, ...shown);
  changes.any ||= shown.length > 0 || drawn.length > 0 || Array.from(changes.values).some(([field, value]) => field !== state.actedOn && valueOf(field) !== value);
  const moving = document.getAnimations().some(isUnfinished);
  if (moving) changes.last = performance.now();
  return {
    changed: changes.any,
    quiet: performance.now() - changes.last,
    moving,
    transients: goneMessages(),
    scrolled: scrolled(),
    restyled: [...drawn, ...restyled(state.actedOn)],
    chooser: openedChooser(),
    refused: refusedForm(),
    ticking: changingTexts(),
  };
}

/** @param {Animation} animation */
function isUnfinished(animation) {
  if (animation.playState !== "running" || changes.animations.has(animation)) return false;
  return Number.isFinite(Number(animation.effect?.getComputedTiming().endTime));
}

function fields() {
  return Array.from(/** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input, select, textarea"))).slice(0, MOST_FIELDS);
}

/** @param {HTMLInputElement} field */
function valueOf({ type, value, checked, indeterminate }) {
  return `${type !== "radio" && checked} ${indeterminate} ${value}`;
}

/** Whether a part that has changed is on the page. @param {Node} part */
function isShown(part) {
  return part instanceof ShadowRoot ? part.host.checkVisibility() : !(part instanceof Element) || part.checkVisibility();
}

/**
 * Note a change; returns whether it may be an effect of the action.
 * @param {Node} node
 * @param {string} kind
 */
function changed(node, kind, at = performance.now()) {
  if (happensByItself(node, kind, at)) return false;
  if (kind !== "scroll") changes.count += 1;
  // What has changed of an element by an attribute may be whether it is shown.
  if (changes.pending.size < MOST_PENDING) changes.pending.set(kind === "text" || kind === "children" ? node : (node.parentNode ?? node), at);
  return true;
}

/** @param {MutationRecord[]} records */
function note(records) {
  const at = performance.now();
  const effects = records.slice(0, MOST_RECORDS).filter((record) => {
    const { type, target, attributeName, addedNodes, removedNodes } = record;
    for (const node of addedNodes) observeInside(node);
    if (type === "attributes") return hasChanged([record]) && changed(target, /** @type {string} */ (attributeName), at);
    if (type === "characterData") return changed(target.parentNode ?? target, "text", at);
    return changed(target, [...addedNodes, ...removedNodes].every((node) => node instanceof Text) ? "text" : "children", at);
  });
  for (const record of effects) noteStyle(record);
  noteMessages(effects);
}

/** @param {Node} node */
function observeInside(node) {
  const root = node instanceof Element ? shadowRootOf(node) : undefined;
  if (root) changes.observer?.observe(root, ANY_CHANGE);
}

/**
 * The rule at the top. Changes that are nearer to each other than `apart` ms are one.
 * @param {Node} node
 * @param {string} kind
 * @param {number} at
 */
function happensByItself(node, kind, at) {
  const kinds = changes.known.get(node) ?? new Map();
  const known = kinds.get(kind);
  if (known && known.times >= 2 && at - known.at <= times.byItself) {
    if (at - known.at >= times.apart) noteTick(node, kind, known, at);
    return true;
  }
  if (at - changes.inputAt < times.atMost || (known && at - known.at < times.apart)) return false;
  changes.known.set(node, kinds);
  const again = known && at - known.at <= times.byItself;
  const tick = again ? known : { at, times: 0, texts: new Map() };
  kinds.set(kind, tick);
  tick.times += 1;
  noteTick(node, kind, tick, at);
  return false;
}

/**
 * @param {Node} node
 * @param {string} kind
 * @param {import("../../state.js").Tick} tick
 * @param {number} at
 */
function noteTick(node, kind, tick, at) {
  tick.at = at;
  if (!(node instanceof Element) || (kind !== "text" && kind !== "children")) return;
  if (node.childElementCount > 0 && tick.times < 2) return; // too much to look at, where it may not come again
  if (tick.times >= 2 && changes.parts.size < MOST_PARTS) changes.parts.set(node, tick);
  for (const [steady, text] of textsOf(node)) {
    const before = tick.texts.get(steady);
    tick.texts.set(steady, { text, other: before !== undefined && (before.other || before.text !== text) });
  }
}

/** Texts of which the numbers change by themselves, as they are without these. */
function changingTexts() {
  const ticking = new Set();
  for (const [part, { at, texts }] of changes.parts) {
    if (!part.isConnected || performance.now() - at > times.byItself) changes.parts.delete(part);
    else for (const [steady, { other }] of texts) if (other) ticking.add(steady);
  }
  return [...ticking];
}

/**
 * The texts with numbers of a part of the page, by what they are without these; equal ones together.
 * @param {Element} part
 */
function textsOf(part) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  const outer = [part.parentElement, part.parentElement?.parentElement].filter((one) => one instanceof Element);
  for (const one of [part, ...outer, ...Array.from(part.querySelectorAll("*")).slice(0, MOST_ELEMENTS)]) {
    const { textContent, childElementCount } = one;
    if (!textContent || textContent.length > LONGEST * (1 + childElementCount)) continue;
    const text = collapse(textContent);
    const steady = text.replace(NUMBER, "0");
    if (steady !== text && steady.length <= LONGEST) texts.set(steady, `${texts.get(steady) ?? ""} ${text}`);
  }
  return texts;
}

// Whether a canvas shows another picture after it was pressed, hovered, dragged or scrolled over. Games, charts and
// spreadsheets that draw themselves show nothing else.

/** Larger pictures take too long to compare, in pixels. */
const MOST_PIXELS = 4_000_000;

/**
 * Note the picture of an element before it is acted on, if it is a canvas.
 * @param {Element} element
 */
export function notePicture(element) {
  state.pressedPicture = element instanceof HTMLCanvasElement ? { canvas: element, sum: sumOf(element) } : undefined;
}

/** That the noted canvas has, or may have, changed, in the form that `restyled` returns; empty if it has not. */
export function changedPicture() {
  const { canvas, sum } = state.pressedPicture ?? {};
  if (!canvas?.isConnected) return [];
  const now = sumOf(canvas);
  if (now === sum && now !== undefined) return [];
  return [{ ...describe(canvas, new Reading()), attribute: "picture", now: now === undefined ? "unknown" : "another", was: "" }];
}

/**
 * A checksum of a canvas; undefined if its picture cannot be read: it has pictures of other origins, or WebGL has handed
 * it over to be displayed.
 * @param {HTMLCanvasElement} canvas
 */
function sumOf(canvas) {
  const { width, height } = canvas;
  if (width * height === 0 || width * height > MOST_PIXELS) return undefined;
  try {
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    if (!copy) return undefined;
    copy.drawImage(canvas, 0, 0);
    let sum = 0;
    let any = 0;
    for (const pixel of new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer)) {
      sum = (Math.imul(sum, 31) + pixel) | 0;
      any |= pixel;
    }
    return any === 0 ? undefined : sum;
  } catch {
    return undefined;
  }
}

/** Everything, with what `hasChanged` needs to know. */
export const ANY_CHANGE = { childList: true, characterData: true, attributes: true, attributeOldValue: true, subtree: true };

/** Whether any of these is a change. @param {MutationRecord[]} records */
export function hasChanged(records) {
  return records.some(({ type, target, attributeName, attributeNamespace, oldValue }) => {
    if (type !== "attributes" || attributeName === null) return true;
    return /** @type {Element} */ (target).getAttributeNS(attributeNamespace, attributeName) !== oldValue;
  });
}
