// Waiting until an element can be acted on, and finding the point at which to do that.

import { describe } from "../../accessibility/describe.js";
import { flatAncestors, holds } from "../../dom/flat_tree.js";
import { frameElement, fromFrame } from "../../dom/frames.js";
import { retain } from "../../dom/handles.js";
import { elementAt, inViewport } from "../../dom/hit_test.js";
import { listenersAreStale } from "../../dom/listeners.js";
import { Reading } from "../../dom/reading.js";
import { isBeingParsed, keepTrying, parsedAt } from "../../dom/waiting.js";
import { AgentError } from "../../errors.js";
import { candidates } from "../../locate/candidates.js";
import { suggestions } from "../../locate/similar.js";
import { findElements } from "../../locate/targets.js";
import { fieldBeside } from "../../locate/unnamed.js";
import { pointTo } from "../../picture/shown.js";
import { state } from "../../state.js";
import { boxesOf, bringIntoView, canvasAround, shownOf } from "../boxes.js";
import { notePicture } from "../effects/changes.js";
import { alreadyAt } from "../effects/scrolled.js";
import { fieldOf, leaveField } from "../fields.js";
import { prepareFill } from "../filling/fill.js";
import { readSet, rememberHeld } from "../filling/read_back.js";
import { prepareType } from "../filling/type.js";
import { prepareFocus } from "../focus.js";
import { acceptIfNew } from "../guards/input_guard.js";
import { expectPress } from "../guards/press_guard.js";
import { prepareSelect } from "../options/select.js";
import { describeCover, pointOf, tagOf } from "../point.js";
import { notePositions } from "../scroll.js";
import { obstacleTo } from "./actionability.js";

/** @typedef {import("../../locate/similar.js").Target} Target */
/** @typedef {import("./actionability.js").Obstacle} Obstacle */

/**
 * The requirements of each purpose: `enabled`, `editable` (or, if `chosen`, one chooses from its list), `hit` (a pointer
 * hits it), `drawn` (it has a box).
 * @type {Record<string, { enabled?: true, editable?: true, chosen?: true, hit?: true, drawn?: true }>}
 */
const NEEDS = {
  click: { enabled: true, hit: true, drawn: true },
  hover: { hit: true, drawn: true },
  aim: { drawn: true },
  drop: { hit: true, drawn: true },
  type: { enabled: true, editable: true, drawn: true },
  fill: { enabled: true, editable: true, chosen: true, drawn: true },
  select: { enabled: true, drawn: true },
  focus: { drawn: true },
  scroll: { drawn: true },
  file: { enabled: true },
};

/**
 * The preparation of the element in the same call, at the moment when it is ready.
 * @type {Record<string, (element: Element, args: any) => unknown>}
 */
const PREPARATIONS = { fill: prepareFill, focus: prepareFocus, type: prepareType, select: prepareSelect };

/** Purposes for which a label is replaced by its control, and a wrapper by the field in it. */
const OF_FIELDS = new Set(["fill", "type", "select"]);

/** Purposes after which a canvas may show another picture. */
const MAY_DRAW = new Set(["click", "hover", "aim", "scroll"]);

/** What has a list to choose from; a field to search in it has its name in many widgets. */
const CHOSEN_FROM = "select, [role=combobox], [role=listbox], [role=radiogroup], [aria-haspopup=listbox], input[list]";

const HIDDEN_AWAY = "Something on the page, such as a button of a menu or a panel, may have to bring it into the window first.";

const LETS_THROUGH = {
  reason: "it lets the pointer through (pointer-events: none)",
  hint: "Pages do this to disabled controls: something else may have to be done first.",
};

const IN_CANVAS = {
  reason: "it stands for a part of a canvas, and only the page knows where that is",
  hint: "Press Enter or Space with this target, or click the canvas.",
};

const ALIGNMENTS = /** @type {const} */ (["center", "end", "start", "nearest"]);

/**
 * @typedef {{
 *   target: Target, nth?: number, purpose: string, timeout: number, appear: number, limit: number, prepare?: any,
 *   handle?: number,
 * }} ReadyArgs
 */

/**
 * The only element that a target names, once it can be acted on: the point, and its description.
 * `none` or `many` if the target matches no element, or several: `appear` milliseconds are given for one to appear.
 * After `timeout` milliseconds `ELEMENT_NOT_ACTIONABLE` says what the last obstacle was.
 * `prepare`: arguments of the purpose's preparation, whose result is `prepared`.
 * `at_once`: there was no need to wait. `handle`: the handle to assign to the element, if the hub has chosen it.
 * `ask`: the hub must first find out who listens for clicks, because that decides what is hit; `timeout` is then left.
 * @param {ReadyArgs} args
 * @param {Reading | undefined} now a reading of the page as it is now
 * @param {boolean} listenersKnown whether the hub has just passed who listens for clicks
 */
export function ready(args, now, listenersKnown) {
  const { purpose, timeout, prepare, handle } = args;
  const needs = NEEDS[purpose] ?? NEEDS.click;
  /** @type {Map<Element, Placement>} */
  const seen = new Map();
  const still = { reason: "", count: -1, since: 0 };
  let aligned = -Infinity;
  let left = false;
  if (purpose === "scroll") notePositions();
  return keepTrying((elapsed, active) => {
    const reading = now ?? new Reading();
    now = undefined;
    const { named, answer: unnamed } = namedElement(args, elapsed, active, reading);
    if (!named) return unnamed;
    const element = OF_FIELDS.has(purpose) ? fieldOf(named) : named;
    if (needs.hit && undrawn() && elapsed < timeout) return undefined;
    if (needs.hit && canvasAround(element)) throw notActionable(element, IN_CANVAS, reading);
    let obstacle = obstacleTo(element, needs, reading) ?? unstable(element, seen, active);
    if (obstacle?.disabled && !left) {
      left = true;
      leaveField(element);
      obstacle = obstacleTo(element, needs, new Reading()) ?? obstacle;
    }
    if (!obstacle) {
      // Scrolling repeatedly would make the page jump: every alignment once, then at most twice a second.
      const mayScroll = elapsed - aligned > 500;
      const aim = needs.hit ? reachablePoint(element, mayScroll) : centerOf(element);
      if (mayScroll) aligned = elapsed;
      if (aim.by_listeners && !listenersKnown && listenersAreStale()) return { ask: "listeners", timeout: Math.max(0, timeout - elapsed) };
      if (aim.point) {
        const answer = { status: "ready", at_once: elapsed === 0, ...readyFacts(element, handle, reading), point: aim.point };
        pointTo(aim.point, answer.element.name);
        state.actedOn = element;
        alreadyAt(element);
        acceptIfNew();
        if (purpose === "click") expectPress(element);
        if (MAY_DRAW.has(purpose)) notePicture(element);
        if (!prepare) return answer;
        rememberHeld(element);
        return afterPreparing(answer, PREPARATIONS[purpose](element, prepare));
      }
      obstacle = aim.obstacle;
    }
    obstacle ??= { reason: "it is not on the page" };
    if (elapsed < timeout && !isLasting(obstacle, still, active)) return undefined;
    throw notActionable(element, obstacle, reading);
  }, timeout);
}

const LASTING_MS = 2000;

/**
 * Whether an obstacle will not disappear by itself: for a while neither it nor the document has changed.
 * @param {Obstacle & { passes?: true }} obstacle `passes`: it does
 * @param {{ reason: string, count: number, since: number }} still since when
 * @param {number} active as in `keepTrying`
 */
function isLasting({ reason, passes }, still, active) {
  const { count } = state.changes;
  const goesOn = passes || isBeingParsed() || document.readyState === "interactive";
  if (goesOn || reason !== still.reason || count !== still.count) Object.assign(still, { reason, count, since: active });
  return active - still.since >= LASTING_MS;
}

/** For as long, in milliseconds, several elements are not an answer: the page may be replacing one of them. */
const SEVERAL_MS = 50;

/**
 * The only element that a target names; the answer if it names none or several; neither while that may still change.
 * @param {ReadyArgs} args
 * @param {number} elapsed as in `keepTrying`
 * @param {number} active as in `keepTrying`
 * @param {Reading} reading
 * @returns {{ named?: Element, answer?: object }}
 */
function namedElement({ target, nth, purpose, timeout, appear, limit }, elapsed, active, reading) {
  // Until then one that the target names may still appear.
  const complete = !isBeingParsed() && active >= appear;
  let found = findElements(target, reading);
  if (found.length === 0 && appear > 0 && complete && !target.exact) found = fieldBeside(target, reading);
  if (found.length === 0) {
    if (elapsed < timeout && !complete) return {};
    return { answer: { status: "none", total: 0, near: suggestions(target, reading) } };
  }
  if (found.length > 1 && nth === undefined && purpose === "select") {
    const choosers = found.filter((one) => fieldOf(one).matches(CHOSEN_FROM));
    if (choosers.length === 1) found = choosers;
  }
  if (found.length > 1 && nth === undefined) {
    if (elapsed < Math.min(timeout, SEVERAL_MS)) return {};
    return { answer: { status: "many", total: found.length, matches: candidates(found, limit, reading) } };
  }
  const named = found[nth ?? 0];
  if (named || (elapsed < timeout && active < appear)) return { named };
  return { answer: { status: "few", total: found.length } };
}

/**
 * @param {{ handle: number }} answer
 * @param {any} prepared
 */
function afterPreparing(answer, prepared) {
  return { ...answer, prepared: prepared.how === "set" ? { ...prepared, ...readSet(answer.handle, prepared.wanted) } : prepared };
}

/** A document that has not been drawn this long after it could have been is out of view. */
const FIRST_PAINT_MS = 500;

/** Whether the document waits for its first paint: Chromium drops input until then. */
function undrawn() {
  if (document.visibilityState === "hidden" || performance.getEntriesByType("paint").length > 0) return false;
  return performance.now() - parsedAt() < FIRST_PAINT_MS;
}

/** @typedef {{ point?: import("../../dom/hit_test.js").Point, obstacle?: Obstacle, by_listeners?: boolean }} Aim */

/**
 * A point where a pointer hits the element, after scrolling it into view if necessary.
 * @param {Element} element
 * @param {boolean} mayScroll
 * @returns {Aim}
 */
function reachablePoint(element, mayScroll) {
  let tried = pointOf(element);
  if (tried.point) return tried;
  const first = tried.cover;
  if (mayScroll) {
    for (const block of ALIGNMENTS) {
      bringIntoView(element, block);
      tried = pointOf(element);
      if (tried.point) return tried;
    }
  }
  const hit = tried.cover ?? first;
  if (!hit) return { obstacle: { reason: "it cannot be scrolled into view", hint: HIDDEN_AWAY } };
  const { fullscreenElement } = document;
  if (fullscreenElement && !holds(fullscreenElement, element))
    return { obstacle: { reason: `${tagOf(fullscreenElement)} fills the screen`, hint: "Press Escape to leave full screen." } };
  if (holds(hit, element) && getComputedStyle(element).pointerEvents === "none") return { obstacle: LETS_THROUGH };
  const cover = describeCover(hit, element);
  return { obstacle: { reason: `${cover.text} covers it`, cover, by: hit, ...(isBusy(hit) && { passes: true }) }, by_listeners: true };
}

/**
 * Whether the element that covers another shows that something is going on: it moves, or says so.
 * @param {Element} cover
 */
function isBusy(cover) {
  if (cover.closest("[aria-busy=true], [role=progressbar], progress")) return true;
  return cover.getAnimations({ subtree: true }).some((animation) => animation.playState === "running");
}

/**
 * The middle of what is shown of an element, scrolled into view, that a pointer need not hit.
 * @param {Element} element
 * @returns {Aim}
 */
function centerOf(element) {
  let box = boxesOf(element)[0];
  if (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth || !shownOf(element, box)) {
    bringIntoView(element, box.height > innerHeight ? "nearest" : "center");
    box = boxesOf(element)[0] ?? box;
  }
  const shown = shownOf(element, box) ?? box;
  return { point: { x: shown.x + shown.width / 2, y: shown.y + shown.height / 2 } };
}

/**
 * @param {Element} element
 * @param {number | undefined} handle
 * @param {Reading} reading
 */
function readyFacts(element, handle, reading) {
  const box = element.getBoundingClientRect();
  const input = element instanceof HTMLInputElement ? element.type : "";
  return {
    element: describe(element, reading),
    handle: retain(element, handle),
    type: input,
    box: { x: box.x, y: box.y, width: box.width, height: box.height },
  };
}

/**
 * @param {Element} element
 * @param {Obstacle} obstacle
 * @param {Reading} reading
 */
function notActionable(element, { reason, hint, cover }, reading) {
  const answer = describe(element, reading);
  return new AgentError("ELEMENT_NOT_ACTIONABLE", reason, hint ?? "", { element: answer, reason, ...(cover && { cover }) });
}

/**
 * The position of a point of a frame's viewport in this document, after scrolling the frame's element into view; and
 * what a pointer hits there instead, if something covers the frame. `turned`: the frame's element is rotated or skewed,
 * so the point is not known.
 * @param {{ frame: string, x: number, y: number }} args
 */
export function framePoint({ frame, x, y }) {
  const element = frameElement(frame);
  if (!element) throw new AgentError("DETACHED", "The frame is no longer on the page.");
  for (const block of /** @type {const} */ ([undefined, "nearest", "center", "start", "end"])) {
    if (block) bringIntoView(element, block);
    const point = fromFrame(element, { x, y });
    const hit = inViewport(point) ? elementAt(point.x, point.y) : null;
    if (hit === element) {
      pointTo(point);
      return { point, turned: isTurned(element) };
    }
    if (block === "end" || (isTurned(element) && !hit)) {
      const cover = hit && describeCover(hit, element);
      return { point, turned: isTurned(element), cover };
    }
  }
  throw new Error("unreachable");
}

/** @param {Element} element */
function isTurned(element) {
  for (const at of [element, ...flatAncestors(element)]) {
    const { transform, rotate } = getComputedStyle(at);
    if (rotate && rotate !== "none") return true;
    if (transform === "none") continue;
    const { b, c, is2D } = new DOMMatrixReadOnly(transform);
    if (!is2D || b !== 0 || c !== 0) return true;
  }
  return false;
}

/** An element's box, and the document's animation time. @typedef {{ box: DOMRect, at: number, active: number }} Placement */

/** A document that draws no frames in this time, because it is out of view, has nothing that moves. */
const NO_FRAMES_MS = 500;

/**
 * Whether something moves the element: two checks, a frame apart, must find it at the same position. Returns at once if
 * no animation runs on it or on an ancestor, and no click on it has failed because it moved away. What has no end, such
 * as a button that pulses or a ticker, is not waited for: whether a press has met the element is seen then
 * (press_guard.js).
 * @param {Element} element
 * @param {Map<Element, Placement>} seen where it was at the last check
 * @param {number} active see `keepTrying`
 * @returns {Obstacle | undefined}
 */
export function unstable(element, seen, active) {
  const animations = carriers(element);
  if (animations.length > 0 && animations.every(isEndless)) return undefined;
  const mayMove = animations.length > 0 || state.unsteady.has(element);
  const now = { box: element.getBoundingClientRect(), at: Number(document.timeline.currentTime ?? 0), active };
  const before = seen.get(element);
  /** @type {Obstacle} */
  const moving = { reason: "it is moving", passes: true };
  if (!before) {
    seen.set(element, now);
    return mayMove ? moving : undefined;
  }
  // Nothing moves between frames, so that two checks in one frame prove nothing.
  if (before.at === now.at && active - before.active < NO_FRAMES_MS && mayMove) return moving;
  seen.set(element, now);
  const [a, b] = [before.box, now.box];
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height ? undefined : moving;
}

/**
 * The animations that run on an element or on an ancestor.
 * @param {Element} element
 */
function carriers(element) {
  return document.getAnimations().filter((animation) => {
    if (animation.playState !== "running") return false;
    const target = /** @type {KeyframeEffect | null} */ (animation.effect)?.target;
    return target instanceof Element && holds(target, element);
  });
}

/** @param {Animation} animation */
function isEndless({ effect }) {
  return effect?.getComputedTiming().endTime === Infinity;
}
