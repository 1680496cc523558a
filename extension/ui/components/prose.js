/**
 * `<k-prose text="Start one with \`kapture serve\`."></k-prose>`: a sentence in which commands between backticks are code
 * that can be copied. A full stop after the last of them is left out: it would look like a part of the command, or stand alone on a line.
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
    return this.text.replace(/`\.$/, "`").split(/`([^`]+)`/).map((part, at) => (at % 2 ? html`<k-code .text=${part}></k-code>` : part));
  }
}

customElements.define("k-prose", Prose);
