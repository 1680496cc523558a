// Whether an element can be acted on now, and where; waiting until it can.

import { describe } from "./describe.js";
import { flatAncestors, flatParent } from "./dom.js";
import { AgentError } from "./errors.js";
import { fieldOf, prepareFill, prepareFocus, prepareType } from "./fill.js";
import { expectPress } from "./guard.js";
import { hold } from "./handles.js";
import { similar } from "./near.js";
import { boxesOf, bringIntoView, pointOf, sayCover, tagOf } from "./point.js";
import { Reading } from "./reading.js";
import { prepareSelect } from "./select.js";
import { begin, settle } from "./settle.js";
import { disabled } from "./states.js";
import { findElements, holds } from "./targets.js";
import { modalDialog, rendering } from "./visibility.js";
import { keepTrying } from "./waiting.js";

/** @typedef {import("./targets.js").Target} Target */

/**
 * What each purpose needs: `enabled`, `editable`, `hit` (a pointer meets it), `drawn` (it has a box).
 * @type {Record<string, { enabled?: true, editable?: true, hit?: true, drawn?: true }>}
 */
const NEEDS = {
  click: { enabled: true, hit: true, drawn: true },
  hover: { hit: true, drawn: true },
  aim: { drawn: true },
  drop: { hit: true, drawn: true },
  type: { enabled: true, editable: true, drawn: true },
  fill: { enabled: true, editable: true, drawn: true },
  select: { enabled: true, drawn: true },
  focus: { drawn: true },
  scroll: { drawn: true },
  file: { enabled: true },
};

/**
 * What may be done to the element in the same call, at the moment at which it is ready.
 * @type {Record<string, (element: Element, args: any) => unknown>}
 */
const PREPARATIONS = { fill: prepareFill, focus: prepareFocus, type: prepareType, select: prepareSelect };

/** Purposes for which a label stands for its control, and a wrapper for the field in it. */
const OF_FIELDS = new Set(["fill", "type", "select"]);

const ALIGNMENTS = /** @type {const} */ (["center", "end", "start", "nearest"]);

/**
 * The one element that a target names, as soon as it can be acted on: where to point at it, and what it is.
 * `none` or `many` when the target names no element, or several: `appear` milliseconds are given for one to come.
 * After `timeout` milliseconds `ELEMENT_NOT_ACTIONABLE` says what was in the way to the last.
 * `prepare` is handed to what the purpose does at once, whose answer is `prepared`.
 * @param {{
 *   target: Target, nth?: number, purpose: string, timeout: number, appear: number, limit: number, prepare?: any,
 * }} args
 */
export function ready({ target, nth, purpose, timeout, appear, limit, prepare }) {
  const needs = NEEDS[purpose] ?? NEEDS.click;
  /** @type {Map<Element, Look>} */
  const seen = new Map();
  let aligned = -Infinity;
  return keepTrying((elapsed) => {
    const reading = new Reading();
    const found = findElements(target, reading);
    if (found.length === 0) {
      const loading = document.readyState === "loading";
      if (elapsed < Math.min(timeout, loading ? timeout : appear)) return undefined;
      return { status: "none", total: 0, near: similar(target, reading) };
    }
    if (found.length > 1 && nth === undefined) {
      if (elapsed < Math.min(timeout, 50)) return undefined;
      return { status: "many", total: found.length, matches: found.slice(0, limit).map((one) => describe(one, reading)) };
    }
    const named = found[nth ?? 0];
    if (!named) {
      if (elapsed < Math.min(timeout, appear)) return undefined;
      return { status: "few", total: found.length };
    }
    const element = OF_FIELDS.has(purpose) ? fieldOf(named) : named;
    if (needs.hit && undrawn() && elapsed < timeout) return undefined;
    let trouble = unfit(element, needs, reading) ?? unstable(element, seen, elapsed);
    if (!trouble) {
      // Scrolling again and again would make the page jump: every alignment once, then at most twice a second.
      const mayScroll = elapsed - aligned > 500;
      const place = needs.hit ? reach(element, mayScroll) : shown(element);
      if (mayScroll) aligned = elapsed;
      if (place.point) {
        const told = { status: "ready", ...facts(element, reading), point: place.point };
        begin();
        if (purpose === "click") expectPress(element);
        return prepare ? afterPreparing(told, PREPARATIONS[purpose](element, prepare), prepare.thorough) : told;
      }
      trouble = place.trouble;
    }
    if (elapsed < timeout) return undefined;
    throw notActionable(element, trouble ?? { reason: "it has no place on the page" }, reading);
  }, timeout);
}

/**
 * @param {object} told
 * @param {any} prepared
 * @param {boolean} thorough
 * @returns {object | Promise<object>}
 */
function afterPreparing(told, prepared, thorough) {
  // What is set here is the whole action: its effect is waited for at once.
  if (prepared.how !== "set") return { ...told, prepared };
  return settle({ thorough }).then((settled) => ({ ...told, prepared: { ...prepared, ...settled } }));
}

/** A document that is not drawn this long after it could be is out of sight. */
const FIRST_PAINT_MS = 500;

/** Whether the document waits for its first paint: Chromium drops input until then. */
function undrawn() {
  if (document.visibilityState === "hidden" || performance.getEntriesByType("paint").length > 0) return false;
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return performance.now() - (navigation?.domInteractive ?? 0) < FIRST_PAINT_MS;
}

/** @typedef {{ point?: import("./point.js").Point, trouble?: Trouble }} Place */
/** @typedef {{ reason: string, hint?: string, cover?: { ref: number, role: string, name: string } }} Trouble */

/**
 * @param {Element} element
 * @param {{ enabled?: true, editable?: true, drawn?: true }} needs
 * @param {Reading} reading
 * @returns {Trouble | undefined}
 */
function unfit(element, needs, reading) {
  if (needs.drawn) {
    const hidden = invisible(element, reading);
    if (hidden) return hidden;
  }
  if (needs.enabled && isDisabled(element)) return { reason: "it is disabled" };
  if (needs.drawn) {
    const modal = modalDialog(reading);
    if (isInert(element, modal)) {
      return modal && !holds(modal, element)
        ? { reason: `the modal dialog ${tagOf(modal)} is open and keeps the rest of the page from being used`, cover: describe(modal, reading) }
        : { reason: "it is inert" };
    }
  }
  if (needs.editable) return uneditable(element);
  return undefined;
}

/**
 * @param {Element} element
 * @param {Reading} reading
 * @returns {Trouble | undefined}
 */
function invisible(element, reading) {
  if (element instanceof HTMLOptionElement && element.getClientRects().length === 0) {
    return { reason: "it is an option of a select, which cannot be pointed at", hint: "Use select on the select element." };
  }
  if (boxesOf(element).length > 0) {
    if (rendering(element, reading) === "shown" || hasOtherBoxes(element)) return undefined;
    return { reason: "it is not visible (visibility: hidden)" };
  }
  const why = rendering(element, reading) === "none" ? "it is not displayed" : "it has no size";
  return { reason: `it is not visible: ${why}` };
}

/**
 * Whether the boxes that stand for the element are not its own: those of a label, or of what is in it.
 * @param {Element} element
 */
function hasOtherBoxes(element) {
  return element.getClientRects().length === 0;
}

/**
 * Whether a press on the element would do nothing because its control is disabled.
 * @param {Element} element
 */
function isDisabled(element) {
  const control = element.closest("button, input, select, textarea, option, optgroup, fieldset") ?? element;
  if (control.localName !== "fieldset" || control === element) if (disabled(control)) return true;
  for (const outer of [element, ...flatAncestors(element)]) {
    const state = outer.getAttribute("aria-disabled");
    if (state === "true") return true;
    if (state === "false") break;
  }
  const labelled = element instanceof HTMLLabelElement ? element.control : null;
  return labelled !== null && labelled.matches(":disabled");
}

/**
 * @param {Element} element
 * @param {Element | null} modal
 */
function isInert(element, modal) {
  if (modal && holds(modal, element)) return [element, ...flatAncestors(element)].some((outer) => outer !== modal && modal.contains(outer) && outer.hasAttribute("inert"));
  if (modal && !inTopLayer(element)) return true;
  return [element, ...flatAncestors(element)].some((outer) => outer.hasAttribute("inert"));
}

/** @param {Element} element */
function inTopLayer(element) {
  for (let at = /** @type {Element | null} */ (element); at; at = flatParent(at)) if (at.matches(":modal, :fullscreen")) return true;
  return false;
}

const TEXT_TYPES = new Set(["text", "search", "url", "tel", "email", "password", "number"]);
const OTHER_TYPES = new Set(["date", "time", "datetime-local", "month", "week", "range", "color", "checkbox", "radio"]);

/**
 * @param {Element} element
 * @returns {Trouble | undefined}
 */
function uneditable(element) {
  if (element instanceof HTMLInputElement) {
    if (!TEXT_TYPES.has(element.type) && !OTHER_TYPES.has(element.type))
      return { reason: `an input of type ${element.type} takes no text`, hint: element.type === "file" ? "Use upload." : "Use click." };
    return element.readOnly ? { reason: "it is read-only" } : undefined;
  }
  if (element instanceof HTMLTextAreaElement) return element.readOnly ? { reason: "it is read-only" } : undefined;
  if (element.getAttribute("aria-readonly") === "true") return { reason: "it is read-only" };
  return undefined;
}

/** Where an element was, and at what moment of the document's animations. @typedef {{ box: DOMRect, at: number, elapsed: number }} Look */

/** A document that draws no frames in this time, because it is out of sight, has nothing that moves either. */
const NO_FRAMES_MS = 500;

/**
 * Whether something moves the element: two looks, a frame apart, must find it in the same place. At once when
 * no animation runs on it or on anything that it is in.
 * @param {Element} element
 * @param {Map<Element, Look>} seen the last look at it
 * @param {number} elapsed
 * @returns {Trouble | undefined}
 */
function unstable(element, seen, elapsed) {
  const now = { box: element.getBoundingClientRect(), at: Number(document.timeline.currentTime ?? 0), elapsed };
  const before = seen.get(element);
  const moving = { reason: "it is moving" };
  if (!before) {
    seen.set(element, now);
    return isAnimated(element) ? moving : undefined;
  }
  // Between frames nothing moves, so that two looks in one frame say nothing.
  if (before.at === now.at && elapsed - before.elapsed < NO_FRAMES_MS && isAnimated(element)) return moving;
  seen.set(element, now);
  const [a, b] = [before.box, now.box];
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height ? undefined : moving;
}

/** @param {Element} element */
function isAnimated(element) {
  return document.getAnimations().some((animation) => {
    if (animation.playState !== "running") return false;
    const target = /** @type {KeyframeEffect | null} */ (animation.effect)?.target;
    return target instanceof Element && holds(target, element);
  });
}

/**
 * A place where a pointer meets the element, brought into view when need be.
 * @param {Element} element
 * @param {boolean} mayScroll
 * @returns {Place}
 */
function reach(element, mayScroll) {
  let place = pointOf(element);
  if (place.point) return { point: place.point };
  const first = place.cover;
  if (mayScroll) {
    for (const block of ALIGNMENTS) {
      bringIntoView(element, block);
      place = pointOf(element);
      if (place.point) return { point: place.point };
    }
  }
  const hit = place.cover ?? first;
  if (!hit) return { trouble: { reason: "it is outside of what can be scrolled into view" } };
  const cover = sayCover(hit, element);
  return { trouble: { reason: `${cover.text} covers it`, cover } };
}

/**
 * The middle of an element that need not be met by a pointer, brought into view.
 * @param {Element} element
 * @returns {Place}
 */
function shown(element) {
  let box = boxesOf(element)[0];
  if (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth) {
    bringIntoView(element, box.height > innerHeight ? "nearest" : "center");
    box = boxesOf(element)[0] ?? box;
  }
  return { point: { x: box.x + box.width / 2, y: box.y + box.height / 2 } };
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function facts(element, reading) {
  const box = element.getBoundingClientRect();
  const input = element instanceof HTMLInputElement ? element.type : "";
  return {
    element: describe(element, reading),
    handle: hold(element),
    type: input,
    box: { x: box.x, y: box.y, width: box.width, height: box.height },
  };
}

/**
 * @param {Element} element
 * @param {Trouble} trouble
 * @param {Reading} reading
 */
function notActionable(element, { reason, hint, cover }, reading) {
  const told = describe(element, reading);
  return new AgentError("ELEMENT_NOT_ACTIONABLE", reason, hint ?? "", { element: told, reason, ...(cover && { cover }) });
}
