/**
 * Entries of the activity list: filtering, and the JSON that is exported.
 */

/**
 * @typedef {object} Entry one command that has ended
 * @property {string} id
 * @property {string} command
 * @property {string} client
 * @property {string} [where] the tab's name, in a list of several tabs
 * @property {number} startedAt ms since the epoch, when it was asked for
 * @property {number} [queuedMs] how long it waited for its turn
 * @property {number} durationMs how long it ran
 * @property {string} outcome "ok" or an error code
 * @property {string} [message] the error's sentence
 * @property {string} [did] what an action has done
 * @property {Record<string, unknown>} [arguments]
 * @property {{text?: string, data?: unknown} | null} [answer]
 */

/** @typedef {"ok" | "failed" | "cancelled"} Ending */

/** How endings are shown. @type {Record<Ending, {sign: string, label: string, tone: import("../badge.js").Tone}>} */
export const ENDINGS = {
  ok: { sign: "✓", label: "Done", tone: "good" },
  failed: { sign: "✕", label: "Failed", tone: "bad" },
  cancelled: { sign: "–", label: "Cancelled", tone: "off" },
};

/** How a command ended, by its outcome; what its client cancelled has not failed. @param {string} outcome @returns {Ending} */
export function endingOf(outcome) {
  if (outcome === "ok") return "ok";
  return outcome === "CANCELLED" ? "cancelled" : "failed";
}

/** What commands that only look have done. @type {Record<string, string>} */
const LOOKED = {
  snapshot: "Looked at the page",
  screenshot: "Took a picture",
  find: "Searched the page",
  get_text: "Read its text",
  get_html: "Read its HTML",
  get_links: "Read its links",
  console: "Read the console",
  network: "Read its requests",
  evaluate: "Ran code in the page",
  wait_for: "Waited for the page",
  list_tabs: "Listed the tabs",
};

/** What a command has done, in words, where its answer does not say it. @param {string} command */
export function inWords(command) {
  const words = command.replaceAll("_", " ");
  return LOOKED[command] ?? words[0].toUpperCase() + words.slice(1);
}

/**
 * The entries that a filter leaves.
 * @param {readonly Entry[]} entries
 * @param {{search: string, outcome: "all" | Ending, client: string}} filter "" is every client
 * @returns {Entry[]}
 */
export function matching(entries, { search, outcome, client }) {
  const words = search.trim().toLowerCase();
  return entries.filter((entry) => {
    if (outcome !== "all" && endingOf(entry.outcome) !== outcome) return false;
    if (client && entry.client !== client) return false;
    return (
      !words ||
      [entry.command, entry.did, entry.client, entry.where, entry.outcome, entry.message, JSON.stringify(entry.arguments ?? "")].some((text) =>
        text?.toLowerCase().includes(words),
      )
    );
  });
}

/**
 * The entries as JSON, for a file.
 * @param {readonly Entry[]} entries
 * @returns {string} JSON
 */
export function exported(entries) {
  const rows = entries.map(({ id: _id, startedAt, ...rest }) => ({ startedAt: new Date(startedAt).toISOString(), ...rest }));
  return JSON.stringify({ kapture: "activity", version: 1, entries: rows }, null, 2);
}
