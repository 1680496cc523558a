/**
 * Notes on a tab's state and the person's actions: words only, no elements.
 */

import { canceledInBar } from "../../worker/connection/connection_reasons.js";

/**
 * @typedef {object} Note
 * @property {"bad" | "warn" | "quiet"} tone
 * @property {string} message
 * @property {string} [hint] commands between backticks
 * @property {("allow_site" | "release" | "retry" | "reconnect" | "options" | "first_run" | "resume" | "resume_all")[]} actions
 */

const BAR = "When you connect, Chrome shows a bar saying that Kapture has started debugging this browser. Cancel in that bar disconnects every tab.";

/** @type {Note} */
const CANCELED = { tone: "bad", ...canceledInBar(), actions: ["reconnect"] };

/** The person's actions for a reason, by its code. @type {Record<string, Note["actions"]>} */
const NEXT_STEPS = {
  NO_HOST: ["first_run"],
  HOST_FORBIDDEN: ["options"],
  HOST_FAILED: ["options"],
  BAD_FILE: ["options"],
  OTHER_PORT: ["options"],
  IMPOSTOR: ["options"],
  UNAUTHORIZED: ["options"],
};

/**
 * The note on a tab; null if its state says it all.
 * @param {any} view what the worker sends of a tab
 * @returns {Note | null}
 */
export function noteOf(view) {
  const { connected, closed, canceled, failure, tab, site } = view;
  if (!connected) {
    if (canceled > 0 && !failure) return CANCELED;
    if (closed) return { tone: "quiet", ...closed, actions: [] };
    const reason = failure ?? tab?.reason;
    if (reason) return { tone: "bad", ...reason, actions: actionsFor(reason) };
    return { tone: "quiet", message: BAR, actions: [] };
  }
  if (tab.heldBy) {
    return {
      tone: "warn",
      message: `A script (${tab.heldBy.client}) is using this tab.`,
      hint: "Agents can use it again when the script disconnects.",
      actions: ["release"],
    };
  }
  if (tab.pauses?.everywhere) {
    return { tone: "warn", message: "You have paused all agents, on every tab.", hint: "What they ask for is refused until you resume.", actions: ["resume_all"] };
  }
  if (tab.pauses?.clients.length > 0) {
    return { tone: "warn", message: `You have stopped ${tab.pauses.clients.join(", ")} on this tab.`, hint: "What it asks for here is refused until you resume.", actions: ["resume"] };
  }
  switch (tab.state) {
    case "outside":
      return {
        tone: "quiet",
        message: "The agent sees nothing on this page.",
        hint: site ? `${site} is not among the sites that this tab is connected for.` : "This page is on no site that can be allowed.",
        actions: site ? ["allow_site"] : [],
      };
    case "paused":
      return { tone: "warn", message: tab.reason?.message ?? "Paused.", hint: tab.reason?.hint, actions: [] };
    case "waiting":
      return { tone: "bad", ...tab.reason, actions: ["retry", ...actionsFor(tab.reason)] };
    case "ready":
      if (tab.reason) return { tone: tab.reason.code === "idle" ? "quiet" : "warn", ...tab.reason, actions: [] };
  }
  return canceled > 0 ? CANCELED : null;
}

/**
 * The one step that is missing.
 * @param {{code?: string} | null} reason
 * @returns {Note["actions"]}
 */
function actionsFor(reason) {
  return NEXT_STEPS[reason?.code ?? ""] ?? [];
}

/**
 * How long until the next try, in words.
 * @param {number | null} retryAt ms since the epoch; null: it is under way
 * @param {number} now
 */
export function countdown(retryAt, now) {
  if (retryAt === null) return "Trying again…";
  const seconds = Math.ceil((retryAt - now) / 1_000);
  return seconds > 1 ? `Trying again in ${seconds} s.` : "Trying again…";
}
