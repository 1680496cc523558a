/**
 * `<kc-logs>`: the console of the selected tab, live.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/logs/log.js";
import { shared } from "../../ui/components/styles.js";
import { Following } from "../../ui/components/observed.js";

/** @typedef {import("../../ui/components/logs/log.js").Entry} Entry */
/** @typedef {import("../../ui/components/logs/log.js").Level} Level */
/**
 * An entry of what the command `logs` answers.
 * @typedef {{timestamp: string, level: Level, source: string, message: string, location: string, stack: string}} LogEntry
 */

const KEPT = 5_000;
const AT_ONCE = 1_000;
const PAUSE_MS = 400; // between two readings: a page that logs all the time is not asked all the time

export class Logs extends LitElement {
  static properties = { app: { attribute: false }, entries: { state: true }, known: { state: true }, problem: { state: true } };
  static styles = [
    shared,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        height: 100%;
      }
      p {
        padding: 8px 12px;
        background: var(--warn-soft);
        color: var(--warn);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    /** Oldest first. @type {Entry[]} */
    this.entries = [];
    /** Whether they have been read. */
    this.known = false;
    this.problem = "";
    this.tabId = "";
    this.unreadable = "";
    this.cursor = 0;
    this.reading = false;
    this.again = false;
    new Following(this, () => [this.app]);
  }

  connectedCallback() {
    super.connectedCallback();
    this.app.live.onConsole = (tabs) => {
      if (tabs.includes(this.tabId)) void this.#read();
    };
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.app.live.onConsole = () => undefined;
  }

  willUpdate() {
    const { tabId, unreadable } = this.app;
    if (this.tabId === tabId && this.unreadable === unreadable) return;
    [this.tabId, this.unreadable] = [tabId, unreadable];
    this.problem = unreadable;
    this.entries = [];
    this.known = false;
    this.cursor = 0;
    void this.#read();
  }

  render() {
    return html`${this.problem ? html`<p role="alert">${this.problem}</p>` : html`<span></span>`}
      <k-log .entries=${this.entries} .known=${this.known} .onClear=${() => (this.entries = [])}></k-log>`;
  }

  async #read() {
    this.again = this.reading;
    if (this.reading || !this.tabId || this.unreadable) return;
    this.reading = true;
    const { tabId, cursor } = this;
    try {
      const { data } = await this.app.command("logs", { tabId, max: AT_ONCE, ...(cursor ? { since: cursor } : {}) });
      if (tabId === this.tabId && !this.unreadable) this.#take(/** @type {any} */ (data));
    } catch (error) {
      if (tabId === this.tabId && !this.unreadable) this.problem = /** @type {Error} */ (error).message;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    this.reading = false;
    if (this.again || tabId !== this.tabId) void this.#read();
  }

  /** @param {{entries: LogEntry[], cursor: number}} answer */
  #take({ entries, cursor }) {
    this.problem = "";
    this.known = true;
    this.cursor = cursor;
    const fresh = entries.toReversed().map(({ timestamp, level, source, message, location, stack }) => ({
      time: Date.parse(timestamp),
      level,
      text: stack ? `${message}\n${stack}` : message,
      source: location || (source === "console" ? "" : source),
    }));
    if (fresh.length > 0) this.entries = [...this.entries, ...fresh].slice(-KEPT);
  }
}

customElements.define("kc-logs", Logs);
