/**
 * `<k-tab-header .view=${view} .onToggle=${() => …}>`: the state of a tab in a word, and the switch.
 */

import "../components/badge.js";
import { controls, shared } from "../components/styles.js";
import { LitElement, css, html } from "../vendor/lit.js";

/** @typedef {import("../components/badge.js").Tone} Tone */

/** @type {Record<import("../../worker/views/tab_state.js").TabState | "off" | "held" | "working", [string, Tone]>} */
const STATES = {
  off: ["Not connected", "off"],
  stopped: ["Not connected", "off"],
  connecting: ["Connecting…", "warn"],
  ready: ["Connected", "good"],
  outside: ["Outside the grant", "off"],
  waiting: ["Reconnecting…", "bad"],
  paused: ["Paused", "warn"],
  held: ["Paused by you", "warn"],
  working: ["Working", "accent"],
};

export class TabHeader extends LitElement {
  static properties = { view: { attribute: false }, onToggle: { attribute: false } };
  static styles = [
    shared,
    controls,
    css`
      header {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 8px;
        min-height: 28px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {any} what the worker sends; null until it has */
    this.view = null;
    this.onToggle = () => {};
  }

  render() {
    const { view } = this;
    const connected = view?.connected ?? false;
    /** @type {keyof typeof STATES} */
    const state = connected ? view.tab.state : "off";
    const first = state === "waiting" && view.tab.received === 0; // it never was connected
    /** @type {keyof typeof STATES} */
    const ready = view?.tab?.held ? "held" : view?.tab?.running?.length > 0 ? "working" : "ready";
    const [word, tone] = STATES[first ? "connecting" : state === "ready" ? ready : state];
    const off = !view?.exists || (!connected && view.closed);
    return html`<header>
      <span role="status" aria-live="polite"><k-badge dot tone=${view?.failure ? "bad" : tone}>${view ? word : "…"}</k-badge></span>
      <button type="button" class=${connected ? "" : "primary"} ?disabled=${off} @click=${this.onToggle}>
        ${connected ? "Disconnect" : "Connect"}
      </button>
    </header>`;
  }
}

customElements.define("k-tab-header", TabHeader);
