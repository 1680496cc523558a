/**
 * `<kc-outline .text=${snapshot}>`: a snapshot line by line. A ref becomes the command's target when it is pressed.
 */

import { LitElement, css, html } from "../ui/vendor/lit.js";
import "../ui/components/list.js";
import { controls, shared } from "../ui/components/styles.js";
import { linesOf, piecesOf } from "../model/outline.js";

/** @typedef {import("../model/outline.js").Line} Line */

const ROW = css`
  .line {
    font-family: var(--mono);
    font-size: 0.93em;
    white-space: pre;
  }
  .quoted {
    color: var(--syntax-string);
  }
  button.ref {
    min-height: 0;
    padding: 0 4px;
    border: 0;
    border-radius: 4px;
    background: var(--accent-soft);
    color: var(--accent);
    font: inherit;
  }
`;

export class OutlineView extends LitElement {
  static properties = { app: { attribute: false }, text: {} };
  static styles = [
    shared,
    controls,
    css`
      :host {
        height: 100%;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    this.text = "";
    /** @type {Line[]} */
    this.lines = [];
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("text")) this.lines = linesOf(this.text);
  }

  render() {
    return html`<k-list
      label="The page as an outline"
      row-height="21"
      .items=${this.lines}
      .rowStyles=${ROW}
      .row=${(/** @type {Line} */ line) => this.#row(line)}
    ></k-list>`;
  }

  /** @param {Line} line */
  #row({ depth, text }) {
    return html`<span class="line"
      >${"  ".repeat(depth)}${piecesOf(text).map(({ kind, text: piece, ref }) =>
        kind === "ref"
          ? html`<button type="button" class="ref" title="Use as target" @click=${() => this.#use(String(ref))}>${ref}</button>`
          : html`<span class=${kind}>${piece}</span>`,
      )}</span
    >`;
  }

  /** @param {string} ref */
  #use(ref) {
    const { app } = this;
    const tools = app.tools.filter(({ schema }) => schema.properties?.target);
    const tool = tools.find(({ name }) => name === app.tool) ?? tools.find(({ name }) => name.endsWith("_click")) ?? tools[0];
    if (!tool) return;
    app.runner.edit(tool.name, { ...app.runner.given(tool.name), target: { ref } });
    app.set({ tool: tool.name });
  }
}

customElements.define("kc-outline", OutlineView);
