/**
 * `<k-scenario-result .run=${run} .onOpenImage=${(part) => …}></k-scenario-result>`: a run as it goes, then its steps with their times,
 * what was expected and found, and screenshots.
 */

import "../components/badge.js";
import "../components/answer/json_tree.js";
import { controls, shared } from "../components/styles.js";
import { milliseconds } from "../components/time_text.js";
import { LitElement, css, html } from "../vendor/lit.js";
import { Following } from "../components/observed.js";
import { problemText } from "./problem.js";
import { scenarioStyles } from "./styles.js";

/** @typedef {import("./model/run.js").StepResult} StepResult */
/** @typedef {import("./model/run.js").Result} Result */

/** @type {Record<import("./model/run.js").State, [string, import("../components/badge.js").Tone]>} */
const STATES = {
  idle: ["", "off"],
  running: ["Running", "accent"],
  passed: ["Passed", "good"],
  failed: ["Failed", "bad"],
  planned: ["Plan", "accent"],
  cancelled: ["Cancelled", "warn"],
  refused: ["Not run", "bad"],
};

export class ScenarioResultView extends LitElement {
  static properties = { run: { attribute: false }, onOpenImage: { attribute: false } };
  static styles = [
    shared,
    controls,
    scenarioStyles,
    css`
      :host {
        display: grid;
        gap: 8px;
      }
      progress {
        width: 100%;
        height: 6px;
        accent-color: var(--accent);
      }
      .mark {
        flex: none;
        width: 2ch;
        text-align: center;
      }
      .good {
        color: var(--good);
      }
      .more {
        flex-basis: 100%;
        padding-left: 5ch;
        overflow-wrap: anywhere;
      }
      .more p {
        display: block;
      }
      .images {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
      }
      .images button {
        display: grid;
        max-width: 100%;
        height: auto;
        padding: 4px;
      }
      img {
        max-width: 100%;
        max-height: 220px;
        border: 1px solid var(--line);
      }
      h3 {
        margin-top: 2px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("./model/run.js").Run} */
    this.run = /** @type {any} */ (undefined);
    /** @type {(part: import("./model/library.js").Part) => void} */
    this.onOpenImage = () => undefined;
    new Following(this, () => [this.run]);
  }

  render() {
    const { state, result, begun, total, problem, parts } = this.run;
    const [label, tone] = STATES[state];
    const done = result?.steps.filter(({ status }) => status === "done").length ?? Math.max(0, begun.length - 1);
    return html`<div class="row">
        <k-badge tone=${tone} dot role="status">${label}</k-badge>
        ${state === "planned" ? "" : html`<span class="quiet small number">${this.#count(done)}</span>`}
        ${result && state !== "planned" ? html`<span class="quiet small number">${milliseconds(result.duration_ms)}</span>` : ""}
      </div>
      ${state === "running" ? html`<progress aria-label="Progress" max=${total || 1} .value=${total ? done : 0}></progress>` : ""}
      ${problemText(problem)}
      ${result ? this.#result(result) : this.#begun(begun)}
      ${parts.length ? html`<div class="images">${parts.map((part) => this.#image(part))}</div>` : ""}`;
  }

  /** @param {number} done */
  #count(done) {
    const all = this.run.result?.steps.length ?? this.run.total;
    return all ? `${done} of ${all} steps` : "";
  }

  /** @param {string[]} begun */
  #begun(begun) {
    if (begun.length === 0) return "";
    const { running } = this.run;
    return html`<ol class="steps" aria-label="Steps">
      ${begun.map((words, at) => {
        const on = running && at === begun.length - 1;
        return html`<li aria-current=${on ? "step" : "false"}>
          <span class="mark ${on ? "" : "good"}" aria-hidden="true">${on ? "▸" : at < begun.length - 1 ? "✓" : "·"}</span>
          <span class="words">${words}</span>
        </li>`;
      })}
    </ol>`;
  }

  /** @param {Result} result */
  #result({ scenario, status, plan, steps, warnings, healed, captured }) {
    return html`${status === "planned"
        ? html`<ol class="steps" aria-label="Plan">
            ${plan.map(
              (row, at) => html`<li>
                <span class="count number">${at + 1}</span>
                <span class="words">${row.scenario}${row.needed_by ? html` <span class="quiet">for ${row.needed_by}</span>` : ""}</span>
                <span class="quiet small">${row.steps} steps${row.optional ? ", optional" : ""}${row.condition ? `; ${row.condition}` : ""}</span>
              </li>`,
            )}
          </ol>`
        : html`<ol class="steps" aria-label="Steps">${steps.map((step) => this.#step(step, scenario))}</ol>`}
      ${warnings.length ? html`<h3>Warnings</h3><ul>${warnings.map((text) => html`<li>${text}</li>`)}</ul>` : ""}
      ${healed.length ? html`<h3>Written back</h3><ul>${healed.map((text) => html`<li>${text}</li>`)}</ul>` : ""}
      ${Object.keys(captured).length ? html`<h3>Captured</h3><k-json label="Captured" .value=${captured}></k-json>` : ""}`;
  }

  /**
   * @param {StepResult} step
   * @param {string} own the scenario that was asked for
   */
  #step({ scenario, number, step, status, duration_ms: ms, used, expected, found, error, hints = [] }, own) {
    const failed = status === "failed";
    return html`<li>
      <span class="mark ${failed ? "bad" : "good"}" role="img" aria-label=${failed ? "Failed" : "Done"}>${failed ? "✕" : "✓"}</span>
      <span class="words">${scenario === own ? "" : html`<span class="quiet">${scenario} </span>`}${number}. ${step}</span>
      <span class="quiet small number">${milliseconds(ms)}</span>
      ${error || expected || used || hints.length
        ? html`<div class="more small">
            ${error ? html`<p class="bad"><strong>${error.code}</strong> ${error.message}</p>` : ""}
            ${expected ? html`<p>Expected: ${expected}</p><p>Found: ${found}</p>` : ""}
            ${used ? html`<p class="quiet">Found by ${used}</p>` : ""}
            ${hints.map((hint) => html`<p class="quiet">${hint}</p>`)}
          </div>`
        : ""}
    </li>`;
  }

  /** @param {import("./model/library.js").Part} part */
  #image(part) {
    const label = part.name || "screenshot";
    return html`<button type="button" title="Open in a new tab" @click=${() => this.onOpenImage(part)}>
      <img src="data:${part.mimeType};base64,${part.base64}" alt=${label} />
      <span class="small">${label}</span>
    </button>`;
  }
}

customElements.define("k-scenario-result", ScenarioResultView);
