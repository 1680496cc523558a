/**
 * `<kc-outline .text=${snapshot}>`: a snapshot line by line. What a line contains can be folded away; a ref becomes the command's
 * target when it is pressed.
 */

import { LitElement, css, html } from "../ui/vendor/lit.js";
import "../ui/components/list.js";
import { controls, shared } from "../ui/components/styles.js";
import { linesOf, parentsOf, piecesOf, unfolded } from "../model/outline.js";

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
  button.fold {
    width: 16px;
    min-height: 0;
    padding: 0;
    border: 0;
    background: none;
    color: var(--quiet);
    font: inherit;
  }
  .leaf {
    display: inline-block;
    width: 16px;
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
  static properties = { app: { attribute: false }, text: {}, folded: { state: true } };
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
    /** @type {Set<number>} */
    this.parents = new Set();
    /** Numbers of lines. @type {ReadonlySet<number>} */
    this.folded = new Set();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("text")) return;
    this.lines = linesOf(this.text);
    this.parents = parentsOf(this.lines);
    this.folded = new Set();
  }

  render() {
    return html`<k-list
      label="The page as an outline"
      row-height="21"
      .items=${unfolded(this.lines, this.folded)}
      .rowStyles=${ROW}
      .row=${(/** @type {Line} */ line) => this.#row(line)}
    ></k-list>`;
  }

  /** @param {Line} line */
  #row({ number, depth, text }) {
    const open = !this.folded.has(number);
    const fold = html`<button
      type="button"
      class="fold"
      aria-label="Content of ${text}"
      aria-expanded=${open}
      @click=${() => this.#fold(number)}
    >
      ${open ? "▾" : "▸"}
    </button>`;
    return html`<span class="line"
      >${"  ".repeat(depth)}${this.parents.has(number) ? fold : html`<span class="leaf"></span>`}${piecesOf(text).map(({ kind, text: piece, ref }) =>
        kind === "ref"
          ? html`<button type="button" class="ref" title="Use as target" @click=${() => this.#use(String(ref))}>${ref}</button>`
          : html`<span class=${kind}>${piece}</span>`,
      )}</span
    >`;
  }

  /** @param {number} number */
  #fold(number) {
    const folded = new Set(this.folded);
    if (!folded.delete(number)) folded.add(number);
    this.folded = folded;
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
