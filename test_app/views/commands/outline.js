/**
 * `<kc-outline .text=${snapshot} .tabId=${tabId}>`: a snapshot line by line. What a line contains can be folded away. The element of the
 * line that is pointed at is marked in its page; it becomes the command's target when the line or its ref is pressed.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/list.js";
import { controls, shared } from "../../ui/components/styles.js";
import { linesOf, parentsOf, piecesOf, unfolded } from "../../model/outline.js";
import { targetField } from "../../model/schema_help.js";

/** @typedef {import("../../model/outline.js").Line} Line */

const ROW = css`
  .line {
    flex: 1;
    font-family: var(--mono);
    font-size: 0.93em;
    white-space: pre;
  }
  .line.element {
    cursor: pointer;
  }
  .line.element:hover {
    background: var(--hover);
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
  static properties = { app: { attribute: false }, text: {}, tabId: { attribute: false }, folded: { state: true } };
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
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    this.text = "";
    this.tabId = "";
    /** The ref that is marked in the page. */
    this.marked = "";
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
  #row({ number, depth, text, ref: own }) {
    const open = !this.folded.has(number);
    const fold = html`<button
      type="button"
      class="fold"
      aria-label="Content of ${text}"
      aria-expanded=${open}
      @click=${(/** @type {Event} */ event) => {
        event.stopPropagation(); // it is no press on the line
        this.#fold(number);
      }}
    >
      ${open ? "▾" : "▸"}
    </button>`;
    return html`<span
      class="line ${own ? "element" : ""}"
      @pointerenter=${() => this.#mark(own)}
      @pointerleave=${() => this.#mark("")}
      @click=${() => own && this.#use(own)}
      >${"  ".repeat(depth)}${this.parents.has(number) ? fold : html`<span class="leaf"></span>`}${piecesOf(text).map(
        ({ kind, text: piece, ref }) =>
          kind === "ref"
            ? html`<button
                type="button"
                class="ref"
                title="Use as target"
                @focus=${() => this.#mark(String(ref))}
                @blur=${() => this.#mark("")}
                @click=${(/** @type {Event} */ event) => {
                  event.stopPropagation();
                  this.#use(String(ref));
                }}
                >${ref}</button
              >`
            : html`<span class=${kind}>${piece}</span>`,
      )}</span
    >`;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#mark("");
  }

  /** @param {string} ref "": nothing */
  #mark(ref) {
    if (ref !== this.marked) this.app.live.highlight(this.tabId, ref || null);
    this.marked = ref;
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
    if (app.runner.endPick({ ref })) return;
    const tools = app.tools.filter(({ schema }) => schema.properties?.target);
    const tool = tools.find(({ name }) => name === app.tool) ?? tools.find(({ name }) => name.endsWith("_click")) ?? tools[0];
    if (!tool) return;
    const given = app.runner.given(tool.name);
    app.runner.edit(tool.name, { ...given, [targetField(tool.schema, given)]: { ref } });
    app.set({ tool: tool.name });
  }
}

customElements.define("kc-outline", OutlineView);
