/**
 * `<k-hand-over .asked=${asked} .onAnswer=${(decision, note) => …} .onGo=${() => …}>`: what a client asks the person to do in
 * a tab, which is theirs until they press a button here.
 */

import { controls, shared } from "./styles.js";
import { Guards } from "./guard.js";
import { LitElement, css, html } from "../vendor/lit.js";

/** @typedef {{id: string, what: string, client: string, expiresAt: number, waits: boolean}} Asked `expiresAt`: in ms since the epoch */

const TICK_MS = 1_000;
const MAX_NOTE = 500;

export class HandOverView extends LitElement {
  static properties = { asked: { attribute: false }, tabTitle: { attribute: false }, away: { type: Boolean } };
  static styles = [
    shared,
    controls,
    css`
      section {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 10px;
        padding: 10px 12px;
        border: 1px solid var(--ask);
        border-radius: var(--radius);
        background: var(--ask-soft);
        overflow-wrap: anywhere;
      }
      h2 {
        color: var(--text);
        font-size: var(--size);
      }
      .small,
      label {
        color: var(--text);
        font-size: var(--small);
      }
      blockquote {
        max-height: 10em;
        margin: 0;
        padding-left: 10px;
        border-left: 3px solid var(--ask);
        overflow: auto;
        white-space: pre-wrap;
      }
      input {
        width: 100%;
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 8px;
      }
      .number {
        margin-left: auto;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Asked | null} */
    this.asked = null;
    /** Named where the tab itself may be out of sight. */
    this.tabTitle = "";
    /** Whether the tab cannot be shown from here. */
    this.away = false;
    /** @type {(decision: "done" | "cannot", note: string) => void} */
    this.onAnswer = () => {};
    this.onGo = () => {};
    this.guards = new Guards(this);
    this.shown = "";
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticking = undefined;
    this.appeared = this.guards.appeared;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.ticking);
  }

  willUpdate() {
    const id = this.asked ? `${this.asked.id} ${this.asked.waits}` : "";
    if (id === this.shown) return;
    this.shown = id;
    clearInterval(this.ticking);
    this.ticking = this.asked?.waits ? setInterval(() => this.requestUpdate(), TICK_MS) : undefined;
    this.guards.keep(id ? [id] : []);
  }

  render() {
    const { asked } = this;
    if (!asked) return "";
    const { client, what, waits, expiresAt } = asked;
    const who = html`<bdi>${client || "A client"}</bdi>`;
    return html`<section aria-label="Your turn">
      <h2>${waits ? html`${who} asks you to do something in this tab` : html`${who} does not wait any more`}</h2>
      ${waits ? html`<blockquote dir="auto">${what}</blockquote>` : ""}
      ${this.tabTitle ? html`<p class="small cut">Tab: <b dir="auto">${this.tabTitle}</b></p>` : ""}
      <p class="small">The tab is yours alone: until you give it back, no agent sees what you type or what it shows.</p>
      ${waits
        ? html`<div>
            <label for="note">A line to ${who}, if you like</label>
            <input id="note" type="text" maxlength=${MAX_NOTE} autocomplete="off" spellcheck="false" />
          </div>`
        : ""}
      <div class="row">
        ${this.away ? "" : html`<button type="button" @click=${this.onGo}>Go to the tab</button>`}
        ${waits ? html`${this.#button("Done", "primary", "done")} ${this.#button("Cannot", "", "cannot")}` : this.#button("Give back", "primary", "done")}
        ${waits ? html`<span class="small number" role="timer">${timeLeft(expiresAt - Date.now())}</span>` : ""}
      </div>
    </section>`;
  }

  /**
   * @param {string} text
   * @param {string} look
   * @param {"done" | "cannot"} decision
   */
  #button(text, look, decision) {
    return this.guards.button(this.shown, text, look, () => this.#answer(decision));
  }

  /** @param {"done" | "cannot"} decision */
  #answer(decision) {
    const note = /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector("#note"));
    this.onAnswer(decision, note?.value.trim() ?? "");
    if (note) note.value = "";
  }
}

/** @param {number} ms */
function timeLeft(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

customElements.define("k-hand-over", HandOverView);
