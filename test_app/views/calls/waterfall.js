/**
 * `<kc-waterfall>`: every call on one time axis, live: a lane a tab, waiting, running and failed, by client in colour. The list under
 * Activity says the same in words.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { controls, shared } from "../../ui/components/styles.js";
import { milliseconds } from "../../ui/components/time_text.js";
import { HUB_LANE, hueOf, lanesOf } from "../../model/lanes.js";
import { nameOf } from "../../model/names.js";
import { Following } from "../../ui/components/observed.js";
import "./call_detail.js";
import { callAt, drawWaterfall, heightOf, laneAt } from "./waterfall_drawing.js";

/** @typedef {import("../../model/calls.js").Call} Call */

const SPANS = /** @type {[number, string][]} */ ([[10_000, "10 s"], [60_000, "1 min"], [300_000, "5 min"], [1_800_000, "30 min"]]);
const AXIS = 18;
const LABELS = 150;
const HIGHEST = 190; // px; more lanes are scrolled
const LARGEST_SHARE = 0.21; // of the page's height
const KEEP_DRAWING_MS = 100; // while something runs or time moves

export class Waterfall extends LitElement {
  static properties = { app: { attribute: false }, closed: { state: true }, span: { state: true }, until: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        border-top: 1px solid var(--line);
        background: var(--ground);
      }
      .bar {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 32px;
        padding: 2px 12px;
        background: var(--raised);
      }
      .clients {
        display: flex;
        flex: 1;
        gap: 12px;
        overflow: hidden;
        color: var(--quiet);
        font-size: var(--small);
        white-space: nowrap;
      }
      .clients i {
        display: inline-block;
        width: 9px;
        height: 9px;
        margin-right: 5px;
        border-radius: 2px;
        forced-color-adjust: none; /* as in the chart */
      }
      .bar select {
        width: auto;
      }
      .chart {
        forced-color-adjust: none; /* the canvas is drawn with colours that are read from here */
        max-height: min(${HIGHEST}px, ${LARGEST_SHARE * 100}vh);
        overflow: hidden auto;
        border-top: 1px solid var(--line);
      }
      canvas {
        display: block;
        position: sticky;
        top: 0;
        width: 100%;
        cursor: default;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    this.closed = false;
    this.span = 60_000;
    /** The right end of the axis, in Unix milliseconds; 0 follows the clock. */
    this.until = 0;
    this.frame = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** The drawn scene. @type {import("./waterfall_drawing.js").Scene | null} */
    this.scene = null;
    /** @type {{x: number, until: number} | null} */
    this.dragged = null;
    new Following(this, () => [this.app]);
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new ResizeObserver(() => this.#draw());
    this.observer.observe(this);
    this.theme = matchMedia("(prefers-color-scheme: dark)");
    this.theme.onchange = () => this.#draw();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer?.disconnect();
    if (this.theme) this.theme.onchange = null;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = 0;
  }

  render() {
    const { app } = this;
    const call = app.live.calls.get(app.callNumber);
    const { clients } = app.live.calls;
    const paused = this.until > 0;
    return html`<div class="bar">
        <button type="button" class="plain" aria-expanded=${!this.closed} @click=${() => (this.closed = !this.closed)}>
          ${this.closed ? "▸" : "▾"} Timeline
        </button>
        <span class="clients">
          ${clients.slice(-6).map((client) => html`<span><i .style=${`background: hsl(${hueOf(client, clients)} 62% 52%)`}></i><bdi>${client}</bdi></span>`)}
        </span>
        <button type="button" aria-pressed=${paused} @click=${() => (this.until = paused ? 0 : Date.now())}>${paused ? "Resume" : "Pause"}</button>
        <select aria-label="Time shown" @change=${(/** @type {any} */ { target }) => (this.span = Number(target.value))}>
          ${SPANS.map(([span, label]) => html`<option value=${span} .selected=${span === this.span}>${label}</option>`)}
          ${SPANS.some(([span]) => span === this.span) ? "" : html`<option value=${this.span} selected>${milliseconds(this.span)}</option>`}
        </select>
      </div>
      ${this.closed
        ? ""
        : html`<div
              class="chart"
              tabindex="0"
              role="group"
              aria-label="Timeline of calls: left and right select a call, plus and minus zoom"
              @keydown=${this.#key}
              @scroll=${() => this.#draw()}
            >
              <canvas
                role="img"
                aria-label="${app.live.calls.ordered.length} calls by tab and time"
                @pointerdown=${this.#grab}
                @pointermove=${this.#move}
                @pointerup=${this.#drop}
                @pointercancel=${() => (this.dragged = null)}
                @wheel=${this.#wheel}
              ></canvas>
              <div></div>
            </div>
            ${call ? this.#call(call) : ""}`}`;
  }

  updated() {
    this.#draw();
  }

  /** @param {Call} call */
  #call(call) {
    const where = call.tabId ? nameOf(this.app.live.tabs.get(call.tabId), call.tabId) : "the hub";
    return html`<kc-call .call=${call} where=${where} .onClose=${() => this.app.set({ callNumber: 0 })}></kc-call>`;
  }

  #to() {
    return this.until || Date.now();
  }

  #canvas() {
    return /** @type {HTMLCanvasElement | null} */ (this.renderRoot.querySelector("canvas"));
  }

  #draw() {
    const canvas = this.#canvas();
    if (!canvas || this.frame || !this.isConnected) return;
    clearTimeout(this.timer);
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const scene = (this.scene = this.#sceneFor(canvas));
      drawWaterfall(canvas, scene);
      const moving = !this.until && scene.lanes.some(({ bars }) => bars.length > 0) && document.visibilityState === "visible";
      if (moving) this.timer = setTimeout(() => this.#draw(), this.span <= 60_000 ? KEEP_DRAWING_MS : 1_000);
    });
  }

  /**
   * The scene to draw now; the canvas gets the room for it.
   * @param {HTMLCanvasElement} canvas
   * @returns {import("./waterfall_drawing.js").Scene}
   */
  #sceneFor(canvas) {
    const { live, callNumber } = this.app;
    const to = this.#to();
    const from = to - this.span;
    const tabs = [...live.tabs.keys()].slice(0, 100);
    // The hub's lane stands there from the start: its first call would move all that is above.
    const lanes = lanesOf(live.calls.ordered, from, to, Date.now(), [...tabs, HUB_LANE]).toSorted(
      (one, other) => Number(one.tabId === HUB_LANE) - Number(other.tabId === HUB_LANE),
    );
    const whole = lanes.reduce((sum, { rows }) => sum + heightOf(rows), AXIS);
    const height = Math.min(whole, HIGHEST, Math.floor(innerHeight * LARGEST_SHARE));
    const chart = /** @type {HTMLElement} */ (canvas.parentElement);
    /** @type {HTMLElement} */ (canvas.nextElementSibling).style.height = `${whole - height}px`;
    return {
      height,
      scrolled: chart.scrollTop,
      lanes: lanes.map((lane) => ({ ...lane, name: lane.tabId === HUB_LANE ? "hub" : nameOf(live.tabs.get(lane.tabId), lane.tabId) })),
      from,
      to,
      selected: callNumber,
      clients: live.calls.clients,
      labels: LABELS,
      axis: AXIS,
    };
  }

  /** The call under the pointer. @param {PointerEvent} event */
  #at({ clientX, clientY }) {
    const canvas = /** @type {HTMLCanvasElement} */ (this.#canvas());
    const { left, top, width } = canvas.getBoundingClientRect();
    return this.scene && callAt(this.scene, width, clientX - left, clientY - top);
  }

  /** The object under the pointer: a call, or the tab whose name stands there. @param {PointerEvent} event */
  #titleAt(event) {
    const call = this.#at(event);
    if (call) return `${call.command} · ${call.client}${call.outcome && call.outcome !== "ok" ? ` · ${call.outcome}` : ""}`;
    const { left, top } = /** @type {HTMLCanvasElement} */ (this.#canvas()).getBoundingClientRect();
    const named = this.scene && event.clientX - left < LABELS ? laneAt(this.scene, event.clientY - top) : null;
    const tab = named && this.app.live.tabs.get(named.lane.tabId);
    return tab ? `${nameOf(tab)}\n${tab.url}` : "";
  }

  /** @param {PointerEvent} event */
  #grab(event) {
    if (event.button !== 0) return;
    this.#canvas()?.setPointerCapture(event.pointerId);
    this.dragged = { x: event.clientX, until: this.#to() };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const canvas = /** @type {HTMLCanvasElement} */ (this.#canvas());
    if (!this.dragged) {
      canvas.title = this.#titleAt(event);
      return;
    }
    const by = event.clientX - this.dragged.x;
    if (Math.abs(by) < 4 && !this.until) return;
    this.until = Math.min(Date.now(), this.dragged.until - (by / Math.max(1, canvas.clientWidth - LABELS)) * this.span);
  }

  /** @param {PointerEvent} event */
  #drop(event) {
    const moved = this.dragged && Math.abs(event.clientX - this.dragged.x) >= 4;
    this.dragged = null;
    if (!moved) this.app.set({ callNumber: this.#at(event)?.number ?? 0 });
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaY) > Math.abs(event.deltaX)) return; // scrolls the lanes
    event.preventDefault();
    this.#zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8);
  }

  /** @param {number} by */
  #zoom(by) {
    this.span = Math.min(7_200_000, Math.max(200, this.span * by));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { app } = this;
    if (event.key === "+" || event.key === "-") return this.#zoom(event.key === "+" ? 0.8 : 1.25);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const calls = app.live.calls.ordered;
    const at = calls.findIndex(({ number }) => number === app.callNumber);
    const next = calls[at < 0 ? calls.length - 1 : Math.min(calls.length - 1, Math.max(0, at + step))];
    if (!next) return;
    app.set({ callNumber: next.number });
    if (next.since < this.#to() - this.span || next.since > this.#to()) this.until = next.since + this.span / 2;
  }
}

customElements.define("kc-waterfall", Waterfall);
