/**
 * The states of the debugger's attachment to one tab, as a table: an event in, the next state and the actions to
 * perform out, in their order.
 *
 * Only the table and pure functions may live here: no chrome APIs, no promises. `attachment.js` holds those, and
 * performs each action in one place. What the table does not list means nothing in that state.
 */

/**
 * | state | |
 * | --- | --- |
 * | `detached` | the tab is not connected |
 * | `attaching` | the first attempt since the tab was connected is under way |
 * | `attached` | attached, and no hub has used the session yet |
 * | `in_use` | attached, and a hub has used the session |
 * | `crashed` | attached, and the page has crashed |
 * | `renewing` | a used session is being replaced by one in its initial state, because the hub has asked for it |
 * | `reattaching` | Chrome ended the session; the hub does not know it yet |
 * | `paused` | the tab is connected but closed to the hub, until it shows a page that can be attached to |
 * | `resuming` | an attempt to end the pause is under way |
 *
 * @typedef {"detached" | "attaching" | "attached" | "in_use" | "crashed" | "renewing" | "reattaching" | "paused"
 *   | "resuming"} State
 */
/**
 * | event | |
 * | --- | --- |
 * | `connect` | the tab is to be connected |
 * | `attached`, `refused` | how the attempt under way ended |
 * | `renew` | the hub is about to use the session from its beginning: the tab registers, or another user takes its turn |
 * | `hub_ready` | a hub is there and will use the session |
 * | `lost` | Chrome ended the session, for a reason of its own |
 * | `excluded` | the tab shows a page that Kapture must stay out of, or that Chrome has closed to it |
 * | `replaced` | the browser put another page into the tab, under another id |
 * | `page_changed` | the tab shows another page, or has loaded one |
 * | `crash`, `recovery` | of the page |
 * | `disconnect` | the tab is to be disconnected |
 * | `gone` | the tab was closed, or the person ended debugging in Chrome's bar: the session has ended already |
 *
 * @typedef {"connect" | "attached" | "refused" | "renew" | "hub_ready" | "lost" | "excluded" | "replaced"
 *   | "page_changed" | "crash" | "recovery" | "disconnect" | "gone"} Event
 */
/**
 * | action | |
 * | --- | --- |
 * | `attach` | begin an attempt; one that is under way is given up |
 * | `detach` | end the session, or the attempt |
 * | `release` | give up the attempt, and let the browser put the tab to sleep again |
 * | `connect` | start the hub connection, unless it runs |
 * | `report_detached` | send the hub why the session is gone |
 * | `report_replaced` | send the hub that another session is about to take its place |
 * | `report_attached` | send the hub that there is a session again |
 *
 * @typedef {"attach" | "detach" | "release" | "connect" | "report_detached" | "report_replaced" | "report_attached"} Action
 */

/** @type {Partial<Record<Event, [State, Action[]]>>} how every attempt can be ended */
const ENDS = {
  disconnect: ["detached", ["detach", "release"]],
  gone: ["detached", ["release"]],
};

/** @type {Partial<Record<Event, [State, Action[]]>>} what can happen to every session */
const SESSION_ENDS = {
  ...ENDS,
  lost: ["reattaching", ["attach"]],
  excluded: ["paused", ["report_detached", "detach"]],
  replaced: ["resuming", ["report_detached", "attach"]],
};

/** @type {Record<State, Partial<Record<Event, [State, Action[]]>>>} */
export const TABLE = {
  detached: { connect: ["attaching", ["attach"]] },
  attaching: {
    ...ENDS,
    attached: ["attached", ["connect"]],
    refused: ["paused", ["detach"]],
    excluded: ["paused", ["detach"]],
    replaced: ["attaching", ["attach"]],
  },
  attached: { ...SESSION_ENDS, hub_ready: ["in_use", []], crash: ["crashed", []] },
  in_use: { ...SESSION_ENDS, renew: ["renewing", ["detach", "attach"]], crash: ["crashed", []] },
  crashed: { ...SESSION_ENDS, renew: ["renewing", ["detach", "attach"]], recovery: ["in_use", []] },
  renewing: {
    ...ENDS,
    attached: ["attached", []],
    refused: ["paused", ["detach"]], // reported when the hub is ready
    excluded: ["paused", ["detach"]],
    replaced: ["renewing", ["attach"]],
  },
  reattaching: {
    ...ENDS,
    attached: ["attached", ["report_replaced", "connect", "report_attached"]],
    refused: ["paused", ["report_detached", "detach"]],
    excluded: ["paused", ["report_detached", "detach"]],
    replaced: ["resuming", ["report_detached", "attach"]],
  },
  paused: {
    ...ENDS,
    hub_ready: ["paused", ["report_detached"]],
    page_changed: ["resuming", ["attach"]],
    replaced: ["resuming", ["attach"]],
  },
  resuming: {
    ...ENDS,
    attached: ["attached", ["connect", "report_attached"]],
    refused: ["paused", ["detach"]],
    excluded: ["paused", ["detach"]],
    hub_ready: ["resuming", ["report_detached"]],
    page_changed: ["resuming", ["attach"]], // the attempt under way may be refused for the page that was there before
    replaced: ["resuming", ["attach"]],
  },
};

/**
 * @param {State} state
 * @param {Event} event
 * @returns {{state: State, actions: Action[]} | null} null when the event means nothing in this state
 */
export function step(state, event) {
  const next = TABLE[state][event];
  return next ? { state: next[0], actions: next[1] } : null;
}
