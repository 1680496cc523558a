/**
 * The states of one connection to the hub, as a table: from an event to the next state and the action to perform.
 *
 * Only the table and pure functions are allowed here: no sockets, no timers, no chrome APIs. `hub_connection.js` uses
 * those, and performs each action in one place.
 *
 *   stopped → pairing → connecting → proving → registering → ready
 *                ↑______________ waiting ←________________________|
 */

/** @typedef {"stopped" | "pairing" | "connecting" | "proving" | "registering" | "ready" | "waiting"} State */
/** @typedef {"start" | "paired" | "unpaired" | "opened" | "proved" | "impostor" | "registered" | "refused" | "lost"
 *   | "silent" | "due" | "stop"} Event */
/** @typedef {"pair" | "open" | "register" | "serve" | "retry" | "close"} Action */

/** @type {Record<State, Partial<Record<Event, [State, Action | null]>>>} */
export const TABLE = {
  stopped: { start: ["pairing", "pair"] },
  pairing: { paired: ["connecting", "open"], unpaired: ["waiting", "retry"], stop: ["stopped", "close"] },
  connecting: {
    opened: ["proving", null], // the hub sends the first message
    lost: ["waiting", "retry"],
    silent: ["waiting", "retry"],
    stop: ["stopped", "close"],
  },
  proving: {
    proved: ["registering", "register"],
    impostor: ["waiting", "retry"],
    refused: ["waiting", "retry"],
    lost: ["waiting", "retry"],
    silent: ["waiting", "retry"],
    stop: ["stopped", "close"],
  },
  registering: {
    registered: ["ready", "serve"],
    refused: ["waiting", "retry"],
    lost: ["waiting", "retry"],
    silent: ["waiting", "retry"],
    stop: ["stopped", "close"],
  },
  ready: {
    refused: ["waiting", "retry"],
    lost: ["waiting", "retry"],
    silent: ["waiting", "retry"],
    stop: ["stopped", "close"],
  },
  waiting: { due: ["pairing", "pair"], stop: ["stopped", "close"] },
};

/**
 * @param {State} state
 * @param {Event} event
 * @returns {{state: State, action: Action | null} | null} null when the event means nothing in this state
 */
export function step(state, event) {
  const next = TABLE[state][event];
  return next ? { state: next[0], action: next[1] } : null;
}

const QUICK_DELAY_MS = 950;
const QUICK_ATTEMPTS = 10;
const LONGEST_DELAY_MS = 10_000;

/**
 * The delay before attempt `attempt` (0 is the first retry): less than a second for the first ten, so that a restarted
 * hub has its tabs back within one; then doubling. Reduced by up to 20 %, so that many tabs do not reconnect in step.
 * @param {number} attempt
 * @param {number} random in [0, 1)
 * @returns {number} milliseconds
 */
export function backoffMs(attempt, random) {
  const slower = Math.max(0, attempt - QUICK_ATTEMPTS + 1);
  const delay = Math.min(LONGEST_DELAY_MS, QUICK_DELAY_MS * 2 ** Math.min(slower, 10));
  return Math.round(delay * (1 - 0.2 * random));
}
