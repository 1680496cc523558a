/**
 * Two views side by side, or one above the other where it is narrow, with a divider that the pointer and the arrow keys move.
 *
 *     <k-split .share=${0.4} stack-below="560" .onShare=${(share) => …}><div slot="start">…</div><div slot="end">…</div></k-split>
 */

import { LitElement, css, html } from "../vendor/lit.js";
import { shared } from "./styles.js";

const [LEAST, MOST, STEP] = [0.15, 0.85, 0.05];

export class Split extends LitElement {
  static properties = {
    share: { type: Number },
    stackBelow: { type: Number, attribute: "stack-below" },
    label: {},
    onShare: { attribute: false },
    stacked: { type: Boolean, reflect: true },
  };
  static styles = [
    shared,
    css`
      :host {
        height: 100%;
        min-height: 0;
      }
      .split {
        display: grid;
        height: 100%;
      }
      .part {
        min-width: 0;
        min-height: 0;
        overflow: auto;
      }
      .divider {
        position: relative;
        background: var(--line);
        touch-action: none;
      }
      .divider::after {
        content: "";
        position: absolute;
        inset: 0 -4px;
        z-index: 1;
        cursor: col-resize;
      }
      :host([stacked]) .divider::after {
        inset: -4px 0;
        cursor: row-resize;
      }
      .divider:hover,
      .divider:focus-visible {
        background: var(--accent);
      }
    `,
  ];

  constructor() {
    super();
    /** Of the first part, between 0 and 1. */
    this.share = 0.5;
    /** Px of width below which the parts are stacked. */
    this.stackBelow = 0;
    this.label = "Resize";
    /** @type {(share: number) => void} called when the person has moved the divider */
    this.onShare = () => undefined;
    this.stacked = false;
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new ResizeObserver(() => (this.stacked = this.clientWidth < this.stackBelow));
    this.observer.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer?.disconnect();
  }

  render() {
    const [start, end] = [this.share, 1 - this.share].map((part) => `minmax(0, ${part}fr)`);
    const tracks = this.stacked ? `grid-template-rows: ${start} 1px ${end}` : `grid-template-columns: ${start} 1px ${end}`;
    return html`<div class="split" .style=${tracks}>
      <div class="part"><slot name="start"></slot></div>
      <div
        class="divider"
        role="separator"
        tabindex="0"
        aria-label=${this.label}
        aria-orientation=${this.stacked ? "horizontal" : "vertical"}
        aria-valuemin=${LEAST * 100}
        aria-valuemax=${MOST * 100}
        aria-valuenow=${Math.round(this.share * 100)}
        @pointerdown=${this.#grab}
        @pointermove=${this.#drag}
        @keydown=${this.#key}
      ></div>
      <div class="part"><slot name="end"></slot></div>
    </div>`;
  }

  /** @param {number} share */
  #move(share) {
    this.share = Math.min(MOST, Math.max(LEAST, share));
    this.onShare(this.share);
  }

  /** @param {PointerEvent} event */
  #grab(event) {
    if (event.button === 0) /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const divider = /** @type {HTMLElement} */ (event.currentTarget);
    if (!divider.hasPointerCapture(event.pointerId)) return;
    const box = this.getBoundingClientRect();
    this.#move(this.stacked ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const [less, more] = this.stacked ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    if (event.key !== less && event.key !== more) return;
    event.preventDefault();
    this.#move(this.share + (event.key === more ? STEP : -STEP));
  }
}

customElements.define("k-split", Split);
