/**
 * `<k-pins .pins=${pins} .onPoint=${(what) => …} .onDismiss=${(pin) => …}>`: pointing at something for the agents, and what has
 * been pointed at.
 */

import { controls, shared } from "../components/styles.js";
import { LitElement, css, html } from "../vendor/lit.js";

export class Pins extends LitElement {
  static properties = { pins: { attribute: false }, off: { type: Boolean } };
  static styles = [
    shared,
    controls,
    css`
      section {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 6px;
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
      }
      ul {
        display: grid;
        gap: 2px;
      }
      li {
        display: flex;
        align-items: center;
        gap: 8px;
        font-size: var(--small);
      }
      li .cut {
        flex: 1;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {{pin: number, what: string, note?: string}[]} */
    this.pins = [];
    /** Whether nothing can be pointed at now. */
    this.off = false;
    /** @type {(what: "element" | "area") => void} */
    this.onPoint = () => {};
    /** @type {(pin: number) => void} */
    this.onDismiss = () => {};
  }

  render() {
    return html`<section aria-label="Point at something">
      <h2>Point at something for the agent</h2>
      <div class="row">
        <button type="button" ?disabled=${this.off} @click=${() => this.onPoint("element")}>An element</button>
        <button type="button" ?disabled=${this.off} @click=${() => this.onPoint("area")}>Draw a rectangle</button>
      </div>
      ${this.pins.length > 0
        ? html`<ul>
            ${this.pins.map(
              ({ pin, what, note }) => html`<li>
                <span class="number">${pin}</span>
                <span class="cut" dir="auto" title=${what}>${note ? html`“${note}” ` : ""}<span class="quiet">${what}</span></span>
                <button type="button" class="plain" aria-label="Dismiss pin ${pin}" @click=${() => this.onDismiss(pin)}>✕</button>
              </li>`,
            )}
          </ul>`
        : ""}
    </section>`;
  }
}

customElements.define("k-pins", Pins);
