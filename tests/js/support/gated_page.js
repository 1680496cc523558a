// A gate at a page, and what it lets pass.

import assert from "node:assert/strict";

import { Access, Denied } from "../../../extension/worker/gate/access.js";
import { Gate } from "../../../extension/worker/gate/gate.js";
import { RANK } from "../../../extension/worker/gate/rules.js";

/** @typedef {import("../../../extension/worker/gate/rules.js").Level} Level */

export const INSIDE = "https://shop.example/";
export const OUTSIDE = "https://bank.test/";
export const LEVELS = /** @type {Level[]} */ (Object.keys(RANK));

/** @param {string} url @param {Level} level @param {string[]} [sites] */
export function gateAt(url, level, sites = ["shop.example"]) {
  const gate = new Gate(new Access({ sites, level }));
  gate.result("Page.getFrameTree", { frameTree: { frame: frame("main", url) } }, undefined);
  gate.event("Runtime.executionContextCreated", { context: context(1, "main", url) }, undefined);
  gate.event("Runtime.executionContextCreated", { context: context(2, "main", url, "kapture") }, undefined);
  return gate;
}

/** @param {string} id @param {string} url @param {string} [parentId] */
export function frame(id, url, parentId) {
  const origin = /^https?:/.test(url) ? new URL(url).origin : "://";
  return { id, url, securityOrigin: origin, ...(parentId ? { parentId } : {}) };
}

/** @param {number} id @param {string} frameId @param {string} url @param {string} [world] */
export function context(id, frameId, url, world) {
  const origin = /^https?:/.test(url) ? new URL(url).origin : "://";
  return { id, uniqueId: `u${id}`, name: world ?? "", origin: world ? "" : origin, auxData: { frameId, isDefault: !world } };
}

/** @param {Gate} gate @param {string} method @param {any} [params] @param {string} [session] */
export function passes(gate, method, params = {}, session) {
  try {
    gate.command(method, params, session);
    return true;
  } catch (error) {
    assert(error instanceof Denied);
    assert.equal(error.code, "POLICY_DENIED");
    assert(error.message);
    return false;
  }
}

/**
 * @param {Gate} gate
 * @param {string} method
 * @param {any} params
 * @param {string} [session]
 * @returns {any} what passes of an event; null when it does not
 */
export function seen(gate, method, params, session) {
  return gate.event(method, params, session).events.at(-1)?.params ?? null;
}
