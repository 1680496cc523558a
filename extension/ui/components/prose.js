/**
 * `<k-prose text="Start one with \`kapture serve\`."></k-prose>`: a sentence in which commands between backticks are code
 * that can be copied.
 */

import { LitElement, css, html } from "../vendor/lit.js";
import "./code.js";
import { shared } from "./styles.js";

export class Prose extends LitElement {
  static properties = { text: {} };
  static styles = [
    shared,
    css`
      :host {
        overflow-wrap: anywhere;
      }
    `,
  ];

  constructor() {
    super();
    this.text = "";
  }

  render() {
    return this.text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? html`<k-code .text=${part}></k-code>` : part));
  }
}

customElements.define("k-prose", Prose);
