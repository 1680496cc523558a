/**
 * The states of the debugger's attachment to one tab, as a table: from an event to the next state and the actions to
 * perform, in order.
 *
 * Only the table and pure functions are allowed here: no chrome APIs, no promises. `attachment.js` uses those, and
 * performs each action in one place. An event that the table does not list is ignored in that state.
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
 * | `reattaching` | Chrome ended the session, and the hub has not been told yet |
 * | `paused` | the tab is connected but cannot be debugged, until it shows a page that can be attached to |
 * | `resuming` | an attempt to end the pause is under way |
 * | `idle` | no session: nobody has worked on the tab for a while; the next command attaches again |
 * | `handed_over` | the person has the tab to themselves |
 *
 * @typedef {"detached" | "attaching" | "attached" | "in_use" | "crashed" | "renewing" | "reattaching" | "paused"
 *   | "resuming" | "idle" | "handed_over"} State
 */
/**
 * | event | |
 * | --- | --- |
 * | `connect` | the tab is being connected |
 * | `attached`, `refused` | the result of the current attempt |
 * | `renew` | the hub needs the session in its initial state: the tab registers, another user takes its turn, or what
 *   paused the tab may be gone |
 * | `hub_ready` | a hub is connected and will use the session |
 * | `lost` | Chrome ended the session, for a reason of its own |
 * | `excluded` | the tab shows a page that Kapture must not attach to, or that Chrome does not allow it to |
 * | `replaced` | the browser put another page into the tab, under another id |
 * | `page_changed` | the tab shows another page, or has loaded one |
 * | `crash`, `recovery` | of the page |
 * | `hand_over`, `take_back` | a client asks the person to do something in the tab; they have given it back |
 * | `rest` | nobody works on the tab: the hub needs no session for now |
 * | `disconnect` | the tab is being disconnected |
 * | `gone` | the tab was closed, or the person ended debugging in Chrome's bar: the session has ended already |
 *
 * @typedef {"connect" | "attached" | "refused" | "renew" | "hub_ready" | "lost" | "excluded" | "replaced"
 *   | "page_changed" | "crash" | "recovery" | "hand_over" | "take_back" | "rest" | "disconnect" | "gone"} Event
 */
/**
 * | action | |
 * | --- | --- |
 * | `attach` | begin an attempt, aborting the current one |
 * | `detach` | end the session, or the attempt |
 * | `release` | abort the attempt, and let the browser discard the tab again |
 * | `connect` | start the hub connection, unless it runs |
 * | `report_detached` | send the hub the reason why the session is gone |
 * | `report_replaced` | tell the hub that another session is about to replace it |
 * | `report_attached` | tell the hub that there is a session again |
 *
 * @typedef {"attach" | "detach" | "release" | "connect" | "report_detached" | "report_replaced" | "report_attached"} Action
 */

/** @type {Partial<Record<Event, [State, Action[]]>>} events that can end any attempt */
const ENDS = {
  disconnect: ["detached", ["detach", "release"]],
  gone: ["detached", ["release"]],
};

/** @type {Partial<Record<Event, [State, Action[]]>>} events that can happen to any session */
const SESSION_ENDS = {
  ...ENDS,
  lost: ["reattaching", ["attach"]],
  hand_over: ["handed_over", ["detach"]],
  excluded: ["paused", ["report_detached", "detach"]],
  replaced: ["resuming", ["report_detached", "attach"]],
};

/** @type {Record<State, Partial<Record<Event, [State, Action[]]>>>} */
export const TABLE = {
  detached: { connect: ["attaching", ["attach"]], hand_over: ["handed_over", ["connect"]] },
  attaching: {
    ...ENDS,
    hand_over: ["handed_over", ["detach"]],
    attached: ["attached", ["connect"]],
    refused: ["paused", ["detach"]],
    excluded: ["paused", ["detach"]],
    replaced: ["attaching", ["attach"]],
  },
  attached: { ...SESSION_ENDS, hub_ready: ["in_use", []], crash: ["crashed", []] },
  in_use: { ...SESSION_ENDS, rest: ["idle", ["detach"]], renew: ["renewing", ["detach", "attach"]], crash: ["crashed", []] },
  crashed: { ...SESSION_ENDS, renew: ["renewing", ["detach", "attach"]], recovery: ["in_use", []] },
  renewing: {
    ...ENDS,
    hand_over: ["handed_over", ["detach"]],
    attached: ["attached", []],
    refused: ["paused", ["detach"]], // reported when the hub is ready
    excluded: ["paused", ["detach"]],
    replaced: ["renewing", ["attach"]],
  },
  reattaching: {
    ...ENDS,
    hand_over: ["handed_over", ["detach"]],
    attached: ["attached", ["report_replaced", "connect", "report_attached"]],
    refused: ["paused", ["report_detached", "detach"]],
    excluded: ["paused", ["report_detached", "detach"]],
    replaced: ["resuming", ["report_detached", "attach"]],
  },
  paused: {
    ...ENDS,
    hand_over: ["handed_over", ["detach"]],
    hub_ready: ["paused", ["report_detached"]],
    renew: ["resuming", ["attach"]],
    page_changed: ["resuming", ["attach"]],
    replaced: ["resuming", ["attach"]],
  },
  resuming: {
    ...ENDS,
    hand_over: ["handed_over", ["detach"]],
    attached: ["attached", ["connect", "report_attached"]],
    refused: ["paused", ["detach"]],
    excluded: ["paused", ["detach"]],
    hub_ready: ["resuming", ["report_detached"]],
    page_changed: ["resuming", ["attach"]], // the current attempt may fail because of the previous page
    replaced: ["resuming", ["attach"]],
  },
  idle: {
    disconnect: ["detached", ["release"]],
    gone: ["detached", ["release"]],
    hub_ready: ["idle", ["report_detached"]],
    hand_over: ["handed_over", []],
    renew: ["resuming", ["attach"]],
  },
  handed_over: {
    disconnect: ["detached", ["release"]],
    gone: ["detached", ["release"]],
    hub_ready: ["handed_over", ["report_detached"]],
    take_back: ["reattaching", ["attach"]],
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
