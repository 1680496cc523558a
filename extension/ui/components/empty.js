/**
 * `<k-empty heading="No commands yet" text="…">buttons</k-empty>`: the empty state of a view: a heading, a hint, and buttons.
 */

import { LitElement, css, html } from "../vendor/lit.js";
import "./prose.js";
import { shared } from "./styles.js";

export class Empty extends LitElement {
  static properties = { heading: {}, text: {} };
  static styles = [
    shared,
    css`
      :host {
        display: grid;
        justify-items: center;
        align-content: center;
        gap: 4px;
        padding: 24px 16px;
        text-align: center;
        text-wrap: balance;
      }
      p {
        font-weight: 600;
      }
      k-prose {
        max-width: 44ch;
        color: var(--quiet);
      }
    `,
  ];

  constructor() {
    super();
    this.heading = "";
    this.text = "";
  }

  render() {
    return html`<p>${this.heading}</p>
      ${this.text ? html`<k-prose .text=${this.text}></k-prose>` : ""}<slot></slot>`;
  }
}

customElements.define("k-empty", Empty);
