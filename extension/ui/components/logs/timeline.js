/**
 * `<k-timeline .entries=${activity} .selected=${id} .onSelect=${(id) => …}></k-timeline>`: the latest commands as bars on one time axis,
 * waiting and running. A picture beside a list that says the same, so it takes no focus.
 */

import { LitElement, css, html } from "../../vendor/lit.js";
import { endingOf } from "./activity_entries.js";
import { shared } from "../styles.js";
import { milliseconds } from "../time_text.js";

/** @typedef {import("./activity_entries.js").Entry} Entry */

const SHOWN = 60;
const LEAST_MS = 1_000;
const LANES = 3;

export class Timeline extends LitElement {
  static properties = { entries: { attribute: false }, selected: {}, onSelect: { attribute: false } };
  static styles = [
    shared,
    css`
      .lanes {
        position: relative;
        height: 41px;
        padding: 0 2px;
        margin: 0 10px;
        overflow: hidden;
      }
      .bar {
        position: absolute;
        display: flex;
        height: 9px;
        min-width: 4px;
        border-radius: 2px;
        overflow: hidden;
        cursor: pointer;
      }
      .bar.selected {
        outline: 2px solid var(--text);
        outline-offset: 1px;
      }
      .waiting {
        background: repeating-linear-gradient(45deg, var(--quiet) 0 2px, transparent 2px 4px);
      }
      .running {
        flex: 1;
        background: var(--accent);
      }
      .failed .running {
        background: var(--bad);
      }
      .cancelled .running {
        background: var(--quiet);
      }
      .scale {
        display: flex;
        justify-content: space-between;
        margin: 0 10px;
        border-top: 1px solid var(--line);
        color: var(--quiet);
        font-size: 10.5px;
      }
    `,
  ];

  constructor() {
    super();
    /** Newest first. @type {readonly Entry[]} */
    this.entries = [];
    this.selected = "";
    /** @type {(id: string) => void} */
    this.onSelect = () => undefined;
  }

  render() {
    const { bars, spanMs } = layOut(this.entries.slice(0, SHOWN));
    if (bars.length === 0) return html``;
    return html`<div class="lanes" role="img" aria-label="Timeline of the last ${bars.length} commands, over ${milliseconds(spanMs)}">
        ${bars.map(({ entry, left, width, waiting, lane }) => {
          const ending = endingOf(entry.outcome);
          return html`<div
            class="bar ${ending} ${entry.id === this.selected ? "selected" : ""}"
            title="${entry.command}, ${milliseconds(entry.durationMs)}${ending === "ok" ? "" : `, ${entry.outcome}`}"
            .style=${`left: ${left * 100}%; width: ${width * 100}%; top: ${lane * 12 + 4}px`}
            @click=${() => this.onSelect(entry.id)}
          >
            ${waiting > 0 ? html`<span class="waiting" .style=${`width: ${waiting * 100}%`}></span>` : ""}<span class="running"></span>
          </div>`;
        })}
      </div>
      <div class="scale number" aria-hidden="true"><span>${milliseconds(spanMs)} ago</span><span>latest</span></div>`;
  }
}

/**
 * @param {readonly Entry[]} entries newest first
 * @returns {{bars: {entry: Entry, left: number, width: number, waiting: number, lane: number}[], spanMs: number}} parts of 1
 */
export function layOut(entries) {
  if (entries.length === 0) return { bars: [], spanMs: 0 };
  const starts = entries.map(({ startedAt }) => startedAt);
  const ends = entries.map(({ startedAt, queuedMs = 0, durationMs }) => startedAt + queuedMs + durationMs);
  const end = Math.max(...ends);
  const spanMs = Math.max(LEAST_MS, end - Math.min(...starts));
  /** @type {number[]} when each lane is free, in parts */
  const free = [];
  const bars = entries.toReversed().map((entry) => {
    const { startedAt, queuedMs = 0, durationMs } = entry;
    const whole = queuedMs + durationMs;
    const left = Math.max(0, 1 - (end - startedAt) / spanMs);
    const width = whole / spanMs;
    let lane = free.findIndex((until) => until <= left);
    if (lane < 0) lane = free.length < LANES ? free.length : free.indexOf(Math.min(...free));
    free[lane] = left + Math.max(width, 0.012);
    return { entry, left: Math.min(left, 0.99), width, waiting: whole > 0 ? queuedMs / whole : 0, lane };
  });
  return { bars, spanMs };
}

customElements.define("k-timeline", Timeline);
