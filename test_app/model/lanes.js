/**
 * Calls on one time axis: a lane a tab, rows within a lane where calls overlap; what is where, for drawing and for pointing.
 */

/** @typedef {import("./calls.js").Call} Call */
/** @typedef {{call: Call, from: number, started: number | null, to: number, row: number}} Bar times in Unix milliseconds */
/** @typedef {{tabId: string, bars: Bar[], rows: number}} Lane */

const MOST_ROWS = 4;
/** Red is for what failed. */
const HUES = [215, 160, 270, 40, 190, 310, 95];
/** Calls about the hub, and those that named no tab. */
export const HUB_LANE = "";

/**
 * The lanes of the calls that were open between two times.
 * @param {readonly Call[]} calls oldest first
 * @param {number} from Unix milliseconds
 * @param {number} to
 * @param {number} now
 * @param {readonly string[]} [tabs] that have a lane in any case, in their order
 * @returns {Lane[]}
 */
export function lanesOf(calls, from, to, now, tabs = []) {
  /** @type {Map<string, Lane>} */
  const lanes = new Map(tabs.map((tabId) => [tabId, { tabId, bars: [], rows: 1 }]));
  /** @type {Map<string, number[]>} until when each row of a lane is taken */
  const taken = new Map();
  for (const call of calls) {
    const end = call.durationMs === undefined ? now : call.since + call.durationMs;
    if (end < from || call.since > to) continue;
    const tabId = call.tabId ?? HUB_LANE;
    const lane = lanes.get(tabId) ?? { tabId, bars: [], rows: 1 };
    lanes.set(tabId, lane);
    const rows = taken.get(tabId) ?? [];
    taken.set(tabId, rows);
    let row = rows.findIndex((until) => until <= call.since);
    if (row < 0) row = rows.length < MOST_ROWS ? rows.length : rows.indexOf(Math.min(...rows));
    rows[row] = end;
    lane.rows = Math.max(lane.rows, row + 1);
    lane.bars.push({ call, from: call.since, started: call.waitedMs === undefined ? null : call.since + call.waitedMs, to: end, row });
  }
  return [...lanes.values()];
}

/**
 * Round steps for the axis.
 * @param {number} spanMs
 * @param {number} most how many there is room for
 */
export function stepOf(spanMs, most) {
  const least = spanMs / Math.max(1, most);
  for (const unit of [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000]) {
    for (const times of [1, 2, 5]) if (unit * times >= least) return unit * times;
  }
  return 3_600_000 * 12;
}

/** A hue a client, the same wherever it is shown. @param {string} client @param {readonly string[]} clients in the order in which they came */
export function hueOf(client, clients) {
  return HUES[Math.max(0, clients.indexOf(client)) % HUES.length];
}
