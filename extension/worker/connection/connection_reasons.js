/**
 * Why there is no connection to the hub, in words for a person: what happened, and what to do.
 */

import { OLDEST_PROTOCOL, PROTOCOL } from "./wire.js";

/** @typedef {{message: string, hint: string, code?: string}} Reason `code`: what a view tells it by, to offer the next step */

const RETRYING = "Kapture keeps trying to reconnect.";

/**
 * @param {{code?: string, message: string, hint?: string}} error of the pairing
 * @param {Reason | null} earlier what is shown: that there is no hub says less than why none could be started
 * @returns {Reason}
 */
export function notPaired({ code, message, hint = "" }, earlier) {
  return code === "NO_HUB" && earlier?.code === "START_FAILED" ? earlier : { code, message, hint };
}

/** @param {string} where host and port */
export function nobodyThere(where) {
  return { message: `No hub answers at ${where}.`, hint: `Start one with \`kapture serve\`. ${RETRYING}` };
}

/**
 * @param {number} port
 * @param {boolean} opened whether it took the connection
 */
export function noProof(port, opened) {
  const what = opened ? "did not prove in time that it is the hub" : "does not answer";
  return { message: `The program on port ${port} ${what}.`, hint: "Another program may be using the port. Run `kapture doctor`." };
}

/** @param {number | string} port */
export function impostor(port) {
  return {
    code: "IMPOSTOR",
    message: `The program on port ${port} is not the hub that this browser is paired with.`,
    hint: "Nothing was sent to it. If the hub was restarted, pair again; otherwise find the program with `kapture doctor`.",
  };
}

/**
 * @param {number} code the close code
 * @param {string} reason the hub's words
 */
export function closedByHub(code, reason) {
  const why = reason || (code === 1006 ? "it went away" : `code ${code}`);
  return { message: `The hub closed the connection: ${why}.`, hint: RETRYING };
}

/** @param {string} why */
export function unreadable(why) {
  return {
    message: `The hub sent a message that Kapture cannot read: ${why}`,
    hint: "Update the hub and the extension to the same version.",
  };
}

/**
 * @param {{code?: string, message: string, hint?: string}} error the hub's
 * @param {boolean} retry
 */
export function refusedByHub({ code, message, hint }, retry) {
  return { code, message: `The hub refused this tab: ${message}`, hint: hint || (retry ? RETRYING : "") };
}

/**
 * @param {number} version of the wire protocol, which the hub has chosen
 * @returns {Reason | null} null: it is spoken here
 */
export function foreignVersion(version) {
  if (version >= OLDEST_PROTOCOL && version <= PROTOCOL) return null;
  return {
    message: `The hub speaks version ${version} of the wire protocol; this extension speaks ${OLDEST_PROTOCOL} to ${PROTOCOL}.`,
    hint:
      version < OLDEST_PROTOCOL
        ? "Update Kapture on this computer, then run `kapture stop`: the extension is newer than the hub."
        : "Update the extension: run `kapture setup`, then press its Reload button. The hub is newer.",
  };
}

/** @returns {Reason} */
export function canceledInBar() {
  return {
    message: "Chrome ended debugging: Cancel in its bar disconnects every tab.",
    hint: "",
  };
}

/** @returns {Reason} */
export function silent() {
  return { message: "The hub has stopped answering.", hint: RETRYING };
}

/** @returns {Reason} */
export function stalled() {
  return { message: "The hub has stopped reading messages.", hint: RETRYING };
}
