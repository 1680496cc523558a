/**
 * `<kc-answer>`: what the last run answered, or one of the history; a snapshot as a tree whose refs can be pressed; copies of the call.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { copyText } from "../../ui/components/clipboard.js";
import "../../ui/components/answer/response.js";
import { controls, shared } from "../../ui/components/styles.js";
import { kaptureCall, mcpRequest } from "../../model/as_text.js";
import { isOutline } from "../../model/outline.js";
import { Following } from "../../ui/components/observed.js";
import { savePart, saveText } from "../../ui/components/save_file.js";
import "./outline.js";

export class Answer extends LitElement {
  static properties = { app: { attribute: false }, copied: { state: true }, seconds: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr) auto;
        min-height: 0;
      }
      .pick {
        padding: 4px 10px;
        background: var(--accent-soft);
      }
      footer {
        display: flex;
        flex-wrap: wrap;
        gap: 2px 6px;
        padding: 3px 8px;
        border-top: 1px solid var(--line);
        background: var(--raised);
      }
      footer button.plain {
        font-size: var(--small);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    this.copied = "";
    new Following(this, () => [this.app.runner]);
  }

  render() {
    const { runner } = this.app;
    const run = runner.current ? null : runner.shown;
    const outline = run?.text && isOutline(run.text) ? run.text : "";
    const more = outline
      ? [
          {
            id: "page",
            label: "Page",
            content: () => html`<kc-outline .app=${this.app} .text=${outline} .tabId=${run?.tabId ?? ""}></kc-outline>`,
          },
        ]
      : [];
    return html`${runner.picking && outline
        ? html`<p class="pick" role="status">
            Choose a line: its element becomes the target.
            <button type="button" class="plain" @click=${() => runner.endPick()}>Cancel</button>
          </p>`
        : html`<span></span>`}
      <k-response
        .response=${runner.response}
        .more=${more}
        .onOpenImage=${(/** @type {any} */ part) => savePart(part, run?.tool ?? "")}
        hint="Choose a command, fill in its form, and press Run."
      ></k-response>
      ${run
        ? html`<footer>
            ${Object.entries({ "kapture call": kaptureCall(run.tool, run.given), "MCP request": mcpRequest(run.tool, run.given) })
              .filter(([, text]) => text)
              .map(
                ([label, text]) =>
                  html`<button type="button" class="plain" title="Copy this call" @click=${() => this.#copy(label, text)}>
                    ${this.copied === label ? "Copied" : `Copy as ${label}`}
                  </button>`,
              )}
            <button type="button" class="plain" @click=${() => saveText(JSON.stringify(run, null, 2), `${run.tool}.json`)}>Save</button>
          </footer>`
        : ""}`;
  }

  /**
   * @param {string} label
   * @param {string} text
   */
  #copy(label, text) {
    this.copied = copyText(text) ? label : "";
    setTimeout(() => (this.copied = ""), 1_500);
  }
}

customElements.define("kc-answer", Answer);
