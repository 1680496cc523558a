/** Where each event leads, as it is seen from outside: what the attachment of a tab promises. */

/** @typedef {import("../../../extension/worker/tab/attachment_states.js").State} State */
/** @typedef {import("../../../extension/worker/tab/attachment_states.js").Event} Event */

/** @type {Event[]} */
export const FROM_OUTSIDE = ["connect", "renew", "hub_ready", "lost", "excluded", "replaced", "page_changed", "crash", "recovery", "hand_over", "take_back", "rest", "disconnect", "gone"];

/** The state after each event, once attempts have succeeded; what is not named stays as it is. @type {Record<State, Partial<Record<Event, State>>>} */
export const AFTER = {
  detached: { connect: "attached", hand_over: "handed_over" },
  attaching: { hand_over: "handed_over", crash: "paused", excluded: "paused", disconnect: "detached", gone: "detached", replaced: "attached" },
  attached: { hand_over: "handed_over", hub_ready: "in_use", crash: "crashed", lost: "in_use", excluded: "paused", replaced: "in_use", disconnect: "detached", gone: "detached" },
  in_use: { rest: "idle", hand_over: "handed_over", renew: "attached", crash: "crashed", lost: "in_use", excluded: "paused", replaced: "in_use", disconnect: "detached", gone: "detached" },
  crashed: { hand_over: "handed_over", renew: "attached", recovery: "in_use", lost: "in_use", excluded: "paused", replaced: "in_use", disconnect: "detached", gone: "detached" },
  renewing: { hand_over: "handed_over", crash: "paused", excluded: "paused", replaced: "attached", disconnect: "detached", gone: "detached" },
  reattaching: { hand_over: "handed_over", crash: "paused", excluded: "paused", replaced: "in_use", disconnect: "detached", gone: "detached" },
  paused: { hand_over: "handed_over", renew: "in_use", page_changed: "in_use", replaced: "in_use", disconnect: "detached", gone: "detached" },
  resuming: { hand_over: "handed_over", crash: "paused", page_changed: "in_use", excluded: "paused", replaced: "in_use", disconnect: "detached", gone: "detached" },
  idle: { hand_over: "handed_over", renew: "in_use", disconnect: "detached", gone: "detached" },
  handed_over: { take_back: "in_use", disconnect: "detached", gone: "detached" },
};
