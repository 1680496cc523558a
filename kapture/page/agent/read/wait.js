// Observes what wait_for asks about, and reports when it changes.

import { describe } from "../accessibility/describe.js";
import { Reading } from "../dom/reading.js";
import { textOf } from "../dom/text/rendered_text.js";
import { rendering } from "../dom/rendering.js";
import { rootElement } from "../dom/flat_tree.js";
import { normalize } from "../dom/text/text.js";
import { keepTrying } from "../dom/waiting.js";
import { AgentError } from "../errors.js";
import { findElements } from "../locate/targets.js";
import { state } from "../state.js";

/**
 * `attached` and `visible` count what matches the target; `texts` says which of the texts are shown.
 * @typedef {{ attached: number, visible: number, texts: boolean[] }} Seen
 * @typedef {{ target?: import("../locate/similar.js").Target, texts?: string[] }} Question
 */

/**
 * The current state, with the first match described.
 * @param {Question} question
 */
export function see(question) {
  return described(look(question));
}

/** How often to look where nothing has changed. */
const SELDOM_MS = 100;

/**
 * The state as soon as it differs from the previous one, or after `ms` milliseconds.
 * @param {Question & { was: Seen, ms: number }} args
 */
export async function seeChange({ was, ms, ...question }) {
  let [count, looked] = [-1, 0];
  const found = await keepTrying((elapsed) => {
    if (elapsed < ms && count === state.changes.count && elapsed - looked < SELDOM_MS) return undefined;
    [count, looked] = [state.changes.count, elapsed];
    const { seen, first } = look(question);
    return elapsed >= ms || differs(seen, was) ? { seen, first } : undefined;
  });
  return described(found);
}

/** @param {{ seen: Seen, first: Element | undefined }} found */
function described({ seen, first }) {
  return { ...seen, first: first && describe(first) };
}

/**
 * @param {Question} question
 * @returns {{ seen: Seen, first: Element | undefined }}
 */
function look({ target, texts = [] }) {
  const reading = new Reading();
  const found = target === undefined ? [] : matching(target, reading);
  const visible = found.filter((element) => isVisible(element, reading));
  const shown = texts.length > 0 ? normalize(textOf(rootElement())) : "";
  return {
    seen: {
      attached: found.length,
      visible: visible.length,
      texts: texts.map((text) => shown.includes(normalize(text))),
    },
    first: visible[0] ?? found[0],
  };
}

/**
 * @param {import("../locate/similar.js").Target} target
 * @param {Reading} reading
 */
function matching(target, reading) {
  try {
    return findElements(target, reading);
  } catch (error) {
    if (error instanceof AgentError && error.code === "REF_EXPIRED") return [];
    throw error;
  }
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function isVisible(element, reading) {
  if (rendering(element, reading) !== "shown") return false;
  const { width, height } = element.getBoundingClientRect();
  return (width > 0 && height > 0) || reading.style(element).display === "contents";
}

/**
 * @param {Seen} now
 * @param {Seen} was
 */
function differs(now, was) {
  return (
    now.attached !== was.attached ||
    now.visible !== was.visible ||
    now.texts.some((shown, at) => shown !== was.texts[at])
  );
}
