// Facts about single elements.

import { describe } from "../accessibility/describe.js";
import { statesOf } from "../accessibility/states.js";
import { suspectAll } from "../dom/closed_roots.js";
import { controlText, textOf } from "../dom/text/rendered_text.js";
import { rendering } from "../dom/rendering.js";
import { collapse } from "../dom/text/text.js";
import { surroundingsOf } from "../locate/surroundings.js";
import { findElements } from "../locate/targets.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("../locate/similar.js").Target} Target */

const TEXT_LIMIT = 200;
const ATTRIBUTE_LIMIT = 500;

/**
 * A target's matches, and how many there are. Of the first `limit`: identity, text, box in the frame's viewport, states,
 * and all attributes (`whole`: however long) and what is around it if wanted. `plain_hosts`: closed roots of plain elements with contents are wanted.
 * @param {{ target: Target, limit: number, attributes: boolean, whole?: boolean, surroundings?: boolean, plain_hosts?: boolean }} args
 * @param {Reading} reading
 */
export function inspect({ target, limit, attributes, whole = false, surroundings = false, plain_hosts = false }, reading) {
  if (plain_hosts) suspectAll(reading);
  const found = findElements(target, reading);
  const matches = found.slice(0, limit).map((element) => ({
    ...facts(element, attributes && (whole ? Infinity : ATTRIBUTE_LIMIT), reading),
    ...(surroundings && { surroundings: surroundingsOf(element, reading) }),
  }));
  return { matches, total: found.length };
}

/**
 * @param {Element} element
 * @param {number | false} attributes how long they may be
 * @param {Reading} reading
 */
function facts(element, attributes, reading) {
  const box = element.getBoundingClientRect();
  const id = describe(element, reading);
  return {
    ...id,
    text: (controlText(element) ?? collapse(textOf(element, reading))).slice(0, TEXT_LIMIT),
    states: statesOf(element, id.role, reading),
    box: [box.x, box.y, box.width, box.height],
    visible: rendering(element, reading) === "shown" && (box.width > 0 || box.height > 0),
    inViewport: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    attributes: attributes ? attributesOf(element, attributes) : undefined,
  };
}

/**
 * @param {Element} element
 * @param {number} limit
 */
function attributesOf(element, limit) {
  const isPassword = element instanceof HTMLInputElement && element.type === "password";
  return Object.fromEntries(
    Array.from(element.attributes, ({ name, value }) => [
      name,
      isPassword && name === "value" ? "••••" : value.length > limit ? `${value.slice(0, limit)}…` : value,
    ]),
  );
}

/**
 * The ref and description of an element.
 * @param {{ element: Element }} args an element that the hub has a remote object of
 */
export function identify({ element }) {
  return describe(element);
}
