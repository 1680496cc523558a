/**
 * `<kc-json-editor .command=${name} .schema=${schema} .value=${value} .onChange=${(value) => …}>`: JSON with completion and linting from a schema, by
 * CodeMirror. `valid` is whether the text is a JSON object; only then is `onChange` called.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { shared } from "../../ui/components/styles.js";
import { problemsIn } from "../../model/schema_help.js";

/** @typedef {import("../../vendor/codemirror.js").EditorView} EditorView */

export class JsonEditor extends LitElement {
  static properties = {
    command: {},
    schema: { attribute: false },
    value: { attribute: false },
    label: {},
    onChange: { attribute: false },
    onSubmit: { attribute: false },
    valid: { state: true },
  };
  static styles = [
    shared,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
        overflow: hidden;
      }
      p {
        display: flex;
        justify-content: space-between;
        padding: 5px 14px 3px;
        background: var(--raised);
        color: var(--quiet);
        font-size: var(--small);
        font-weight: 600;
      }
      .place {
        min-height: 0;
        overflow: hidden;
      }
      .place:focus-within {
        outline: 2px solid var(--accent);
        outline-offset: -2px;
      }
    `,
  ];

  constructor() {
    super();
    this.command = "";
    /** @type {Record<string, any>} */
    this.schema = {};
    /** @type {Record<string, unknown>} */
    this.value = {};
    this.label = "JSON";
    /** @type {(value: Record<string, unknown>) => void} */
    this.onChange = () => undefined;
    /** @type {() => void} */
    this.onSubmit = () => undefined;
    this.valid = true;
    /** @type {EditorView | null} */
    this.editor = null;
    /** The value that the text was made from, or that was made from the text. */
    this.known = "{}";
  }

  render() {
    const count = this.valid ? problemsIn(this.schema, this.value).length : 0;
    return html`<p>
        <span>JSON</span>
        <span class=${this.valid && count === 0 ? "" : "bad"} role="status"
          >${this.valid ? (count ? `${count} problem${count === 1 ? "" : "s"}` : "") : "This is not a JSON object."}</span
        >
      </p>
      <div class="place"></div>`;
  }

  async firstUpdated() {
    const { makeEditor } = await import("./codemirror.js"); // large: loaded when it is first shown
    if (!this.isConnected) return;
    const place = /** @type {HTMLElement} */ (this.renderRoot.querySelector(".place"));
    this.editor = makeEditor({
      parent: place,
      root: /** @type {ShadowRoot} */ (this.renderRoot),
      text: textOf(this.value),
      label: this.label,
      schema: () => this.schema,
      onChange: (text) => this.#typed(text),
      onSubmit: () => this.onSubmit(),
    });
    this.known = JSON.stringify(this.value);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.editor?.destroy();
    this.editor = null;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    // Of another command nothing that was typed is left, not even what was no JSON.
    const another = changed.has("command");
    if (!this.editor || !(changed.has("value") || another)) return;
    const known = JSON.stringify(this.value);
    if (known === this.known && !(another && !this.valid)) return;
    this.known = known;
    this.valid = true;
    const { state } = this.editor;
    this.editor.dispatch({ changes: { from: 0, to: state.doc.length, insert: textOf(this.value) } });
  }

  focus() {
    this.editor?.focus();
  }

  /** @param {string} text */
  #typed(text) {
    const value = parsed(text);
    this.valid = value !== null;
    if (value === null) return;
    const known = JSON.stringify(value);
    if (known === this.known) return;
    this.known = known;
    this.onChange(value);
  }
}

/** @param {string} text @returns {Record<string, unknown> | null} */
function parsed(text) {
  try {
    const value = JSON.parse(text.trim() || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** @param {Record<string, unknown>} value */
function textOf(value) {
  return Object.keys(value).length === 0 ? "{\n  \n}" : JSON.stringify(value, null, 2);
}

customElements.define("kc-json-editor", JsonEditor);
