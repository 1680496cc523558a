// Texts that change by themselves: prices, clocks, counters. They are no effect of an action that they change during.
//
// Between actions the page is observed. Where something changes again and again, it is looked at which texts have other
// numbers each time. Words may be an effect even there, and so may the numbers of other texts that are rendered anew with
// those.

import { state } from "../state.js";
import { pageObserver } from "./own_element.js";
import { collapse } from "./text/text.js";

const { ticking } = state;

/** A part of the page changes by itself if it has changed this often, no longer apart than this, in milliseconds. */
const LEAST = 4;
const OFTEN_MS = 3_000;

/** Changes this close to each other are one, in milliseconds. */
const APART_MS = 30;

/** Changes this soon after input are its effects, in milliseconds. */
const EFFECT_MS = 1_000;

/** A part that has not changed for this long has stopped, in milliseconds. */
const STOPPED_MS = 20_000;

/** How often texts are looked at, in milliseconds, and how often their numbers must have been others. */
const LOOK_EACH_MS = 150;
const LEAST_OTHERS = 2;

/** More changes tell nothing new: the page is not observed any more until it is shown again. */
const MOST_SEEN = 300;

/** The limits of parts, of elements looked at in one, and of the characters of a text. */
const MOST_PARTS = 50;
const MOST_ELEMENTS = 300;
const LONGEST = 120;

const CHANGES = { childList: true, characterData: true, subtree: true };

/** A number as it is shown, with the sign before it. */
const NUMBER = /[+\-−▲▼↑↓]?[0-9]+(?:[.,:][0-9]+)*/g;

/** Observe the page from now on, for a while. */
export function watchTicking() {
  if (ticking.observer) return;
  ticking.seen = 0;
  ticking.observer = pageObserver(note);
  ticking.observer.observe(document, CHANGES);
}

/** Somebody acts: what changes now may be an effect of that. */
export function noteInput() {
  ticking.inputAt = performance.now();
}

function endTicking() {
  ticking.observer?.disconnect();
  ticking.observer = undefined;
}

/** @param {MutationRecord[]} records */
function note(records) {
  const at = performance.now();
  if (at - ticking.inputAt < EFFECT_MS) return;
  for (const target of new Set(records.map((record) => record.target))) {
    const part = target instanceof Element ? target : target.parentElement;
    if (part) noteChange(part, at);
  }
  ticking.seen += 1;
  if (ticking.seen >= MOST_SEEN) endTicking();
}

/**
 * @param {Element} part
 * @param {number} at
 */
function noteChange(part, at) {
  const known = ticking.parts.get(part) ?? { count: 0, at: -Infinity, lookedAt: -Infinity, texts: new Map() };
  if (at - known.at < APART_MS) return;
  known.count = at - known.at <= OFTEN_MS ? known.count + 1 : 1;
  known.at = at;
  ticking.parts.set(part, known);
  if (known.count < LEAST || ticking.known.size > MOST_PARTS || at - known.lookedAt < LOOK_EACH_MS) return;
  ticking.known.add(part);
  known.lookedAt = at;
  for (const [steady, text] of textsOf(part)) {
    const before = known.texts.get(steady);
    known.texts.set(steady, { text, others: (before?.others ?? 0) + Number(before !== undefined && before.text !== text) });
  }
}

/** The texts that change by themselves, as `withoutNumbers` writes them. @returns {Set<string>} */
export function tickingTexts() {
  /** @type {Set<string>} */
  const texts = new Set();
  for (const part of ticking.known) {
    const known = ticking.parts.get(part);
    if (!part.isConnected || !known || performance.now() - known.at > STOPPED_MS) ticking.known.delete(part);
    else for (const [steady, { others }] of known.texts) if (others >= LEAST_OTHERS) texts.add(steady);
  }
  return texts;
}

/**
 * The texts with numbers of a part of the page, by what they are without these; equal ones together.
 * @param {Element} part
 */
function textsOf(part) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  const outer = [part.parentElement, part.parentElement?.parentElement].filter((one) => one instanceof Element);
  for (const { textContent, childElementCount } of [part, ...outer, ...Array.from(part.querySelectorAll("*")).slice(0, MOST_ELEMENTS)]) {
    if (!textContent || textContent.length > LONGEST * (1 + childElementCount)) continue;
    const text = collapse(textContent);
    const steady = withoutNumbers(text);
    if (steady !== text && steady.length <= LONGEST) texts.set(steady, `${texts.get(steady) ?? ""} ${text}`);
  }
  return texts;
}

/**
 * A text with all of its numbers as 0.
 * @param {string} text
 */
export function withoutNumbers(text) {
  return text.replace(NUMBER, "0");
}
