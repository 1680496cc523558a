/**
 * The state of a connected tab for popup, panel and question window.
 */

/** @typedef {import("../tab/connected_tab.js").ConnectedTab} ConnectedTab */

/**
 * The state in a person's terms. `paused`: the tab is connected, but the browser does not let Kapture debug its page
 * now; `outside`: it is connected, but its page is not on a granted site.
 * @typedef {"connecting" | "ready" | "outside" | "paused" | "waiting" | "stopped"} TabState
 */

/**
 * The state of a tab in a word, as its views name it.
 * @param {ConnectedTab} tab
 * @returns {TabState}
 */
export function stateOf({ attachment, connection, access, url }) {
  const { state, reason } = connection;
  // While it tries again, why it has to stays shown.
  if (state === "waiting" || (reason && state !== "ready" && state !== "stopped")) return "waiting";
  if (attachment.paused) return "paused";
  if (state === "stopped") return "stopped";
  if (state !== "ready" || attachment.state === "attaching") return "connecting";
  return access.allows(url) ? "ready" : "outside";
}

/** How many answers of its person a tab waits for. @param {ConnectedTab} tab */
export function asksFor({ approvals, handOver }) {
  return approvals.open.size + (handOver.open ? 1 : 0);
}

/** Whether the person has stopped anybody who works on a tab. @param {ConnectedTab} tab */
export function isHeld({ pauses }) {
  return pauses.everywhere || pauses.clients.length > 0;
}

/** The state of a tab for its views, sent as a message. @param {ConnectedTab} tab */
export function viewOf(tab) {
  const { attachment, connection, saved, approvals } = tab;
  return {
    tabId: saved.tabId,
    state: stateOf(tab),
    reason: connection.reason ?? attachment.cause,
    retryAt: connection.retryAt,
    grant: saved.grant,
    bond: saved.bond ?? null,
    group: saved.group ?? null,
    by: saved.by,
    since: connection.readySince,
    received: connection.received,
    sent: connection.sent,
    address: connection.address,
    hubVersion: connection.hubVersion,
    activity: tab.activity,
    running: tab.running,
    heldBy: tab.heldBy,
    pauses: tab.pauses,
    held: isHeld(tab),
    owner: tab.owner,
    questions: [...approvals.open.values()],
    handOver: tab.handOver.open,
    pins: tab.pins,
  };
}
