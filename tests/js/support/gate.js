/**
 * A gate before a tab that shows A, with a frame of B in the same process: what tests/policy/cdp_*.json stand on.
 */

import { readFileSync } from "node:fs";

import { Access } from "../../../extension/worker/gate/access.js";
import { Gate } from "../../../extension/worker/gate/gate.js";

/** @param {string} name the hub's tests read the same file */
export const vectors = (name) => JSON.parse(readFileSync(new URL(`../../policy/${name}.json`, import.meta.url), "utf8"));

export const COMMANDS = vectors("cdp_commands");
export const EVENTS = vectors("cdp_events");

/** @param {{sites: string[], frames: Record<string, string>}} described @param {string[]} [sites] */
export function gateOf({ frames, ...described }, sites = described.sites) {
  const gate = new Gate(new Access({ sites, level: "full" }));
  /** @param {string} id */
  const frame = (id) => ({ id, url: frames[id], securityOrigin: new URL(frames[id]).origin });
  const child = { ...frame("B"), parentId: "A" };
  gate.result("Page.getFrameTree", { frameTree: { frame: frame("A"), childFrames: [{ frame: child }] } }, undefined);
  for (const [id, frameId, name] of /** @type {[number, string, string][]} */ ([
    [1, "A", ""], [2, "A", "kapture"], [3, "B", ""], [4, "B", "kapture"],
  ])) {
    const auxData = { frameId, isDefault: name === "" };
    const context = { id, uniqueId: `u${id}`, name, origin: name ? "" : new URL(frames[frameId]).origin, auxData };
    gate.event("Runtime.executionContextCreated", { context }, undefined);
  }
  return gate;
}
