/**
 * `<k-long-text .text=${text}></k-long-text>`: a text as it is, in lines that wrap; of a long one the beginning, and the rest when it
 * is asked for.
 */

import { controls, shared } from "../styles.js";
import { LitElement, css, html } from "../../vendor/lit.js";

const MOST_CHARS = 50_000; // shown at once: 2,000,000 take seconds to lay out
const HALF = /[\ud800-\udbff]$/; // of a character that is cut

export class LongText extends LitElement {
  static properties = { text: {}, whole: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: block;
      }
      pre {
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }
    `,
  ];

  constructor() {
    super();
    this.text = "";
    /** The long text that is shown whole. */
    this.whole = "";
  }

  render() {
    const { text } = this;
    if (text.length <= MOST_CHARS || text === this.whole) return html`<pre>${text}</pre>`;
    return html`<pre>${text.slice(0, MOST_CHARS).replace(HALF, "")}</pre>
      <p class="small">
        <span class="quiet number">The first ${MOST_CHARS.toLocaleString()} of ${text.length.toLocaleString()} characters.</span>
        <button type="button" class="plain small" @click=${() => (this.whole = text)}>Show all</button>
      </p>`;
  }
}

customElements.define("k-long-text", LongText);
