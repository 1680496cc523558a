// What the browser itself knows to be in progress after an action: a route that the page loads (Navigation API), a view
// transition, which changes the document only once the old view has been captured, a dialog or popover that opens or closes,
// and leaving full screen.

import { drawnWithin, pause } from "../../dom/waiting.js";
import { state } from "../../state.js";
import { pendingToggles } from "./toggle_events.js";

/** As long as for the timers of an action, in milliseconds. */
const ROUTE_MS = 1000;

/** @typedef {{ transition?: { finished: Promise<unknown> } | null }} Navigation */
/** @typedef {{ activeViewTransition?: { updateCallbackDone: Promise<unknown> } | null }} Views */

/** What is under way, with the longest time that it is waited for, in milliseconds. @returns {[Promise<unknown>, number][]} */
function underWay() {
  const { transition } = /** @type {{ navigation?: Navigation }} */ (/** @type {unknown} */ (globalThis)).navigation ?? {};
  const { activeViewTransition: view } = /** @type {Views} */ (/** @type {unknown} */ (document));
  /** @type {[Promise<unknown>, number][]} */
  const found = [];
  if (transition) found.push([transition.finished, ROUTE_MS]);
  if (view) found.push([view.updateCallbackDone, drawnWithin()]);
  for (const over of pendingToggles()) found.push([over, drawnWithin()]);
  if (state.settling.leavesFullScreen) found.push([state.settling.leavesFullScreen, drawnWithin()]);
  return found;
}

/** Whether anything is. */
export function isUnderWay() {
  return underWay().length > 0;
}

/** Resolves when all of it is over, or has taken too long. */
export async function underWayEnds() {
  await Promise.all(underWay().map(([end, ms]) => Promise.race([end.catch(() => {}), pause(ms)])));
}
