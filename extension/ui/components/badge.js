/**
 * `<k-badge tone="good" dot>Connected</k-badge>`: a state in a word. The colour never says it alone.
 */

import { LitElement, css, html } from "../vendor/lit.js";
import { shared } from "./styles.js";

/** @typedef {"good" | "warn" | "bad" | "ask" | "accent" | "off"} Tone */

export class Badge extends LitElement {
  static properties = { tone: { reflect: true }, dot: { type: Boolean } };
  static styles = [
    shared,
    css`
      :host {
        display: inline-flex;
        align-items: center;
        gap: 6px;
        max-width: 100%;
        padding: 1px 8px;
        border-radius: 999px;
        background: var(--raised);
        color: var(--quiet);
        font-size: var(--small);
        font-weight: 600;
        white-space: nowrap;
      }
      i {
        flex: none;
        width: 8px;
        height: 8px;
        border-radius: 50%;
        background: currentColor;
      }
      :host([tone="off"]) i {
        background: none;
        border: 2px solid currentColor;
      }
      :host([tone="good"]) {
        background: var(--good-soft);
        color: var(--good);
      }
      :host([tone="warn"]) {
        background: var(--warn-soft);
        color: var(--warn);
      }
      :host([tone="bad"]) {
        background: var(--bad-soft);
        color: var(--bad);
      }
      :host([tone="ask"]) {
        background: var(--ask-soft);
        color: var(--ask);
      }
      :host([tone="accent"]) {
        background: var(--accent-soft);
        color: var(--accent);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Tone} */
    this.tone = "off";
    this.dot = false;
  }

  render() {
    return html`${this.dot ? html`<i aria-hidden="true"></i>` : ""}<slot></slot>`;
  }
}

customElements.define("k-badge", Badge);
