/**
 * Times as people read them.
 */

const DATED = new Intl.DateTimeFormat([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const SORTABLE = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }); // costly to make

/**
 * @param {number} ms
 * @returns {string}
 */
export function milliseconds(ms) {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}

/**
 * The time of day with seconds; "" where there is none.
 * @param {number} time ms since the epoch
 */
export function clock(time) {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? "" : CLOCK.format(at);
}

/**
 * The time of day with seconds; of another day than `now`, its date and the time; "" where there is none.
 * @param {number} time ms since the epoch
 */
export function moment(time, now = Date.now()) {
  const at = new Date(time);
  return at.toDateString() === new Date(now).toDateString() ? clock(time) : Number.isNaN(at.getTime()) ? "" : DATED.format(at);
}

/**
 * Date and time of the day as 2026-11-23 07:29:52, whose order as text is that of time; "" where there is none.
 * @param {number} time ms since the epoch
 */
export function sortable(time) {
  return Number.isNaN(time) ? "" : SORTABLE.format(new Date(time));
}

/**
 * How long, in two units at most.
 * @param {number} ms
 * @returns {string}
 */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  if (hours >= 48) return `${Math.floor(hours / 24)} days ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
