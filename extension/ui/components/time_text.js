/**
 * Times as people read them.
 */

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
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}
