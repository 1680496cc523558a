/**
 * What ran on the tab, newest first: by whom, how long, how it ended.
 */

import { el } from "./dom.js";

/** @type {Intl.DateTimeFormatOptions} */
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" };

/**
 * @param {any[]} activity
 * @returns {HTMLElement[]}
 */
export function activityRows(activity) {
  return activity.map(({ command, client, startedAt, durationMs, outcome, message }) => {
    const ok = outcome === "ok";
    const at = new Date(startedAt);
    const time = Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString([], CLOCK);
    const row = el(
      "li",
      { className: ok ? "" : "failed" },
      el("span", { className: "mark", "aria-label": ok ? "done" : "failed", role: "img" }, ok ? "✓" : "✗"),
      el("span", { className: "cut" }, el("span", { className: "mono" }, command), el("span", { className: "quiet small" }, `  ${client}`)),
      el("span", { className: "quiet small" }, `${Math.round(durationMs)} ms · ${time}`),
    );
    if (!ok) row.append(el("span", { className: "message small" }, [outcome, message].filter(Boolean).join(": ")));
    return row;
  });
}
