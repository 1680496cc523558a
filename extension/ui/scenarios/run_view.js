/**
 * `<k-scenario-run .shown=${shown} .run=${run} blocked="" .onOpenImage=${(part) => …}></k-scenario-run>`: what a run is given, how it goes,
 * and what came of it.
 */

import "../components/form/form.js";
import { controls, shared } from "../components/styles.js";
import { LitElement, css, html, keyed } from "../vendor/lit.js";
import { lock } from "./icons.js";
import { Following } from "../components/observed.js";
import { problemText } from "./problem.js";
import "./result_view.js";
import { scenarioStyles } from "./styles.js";

/** @typedef {import("./model/library.js").Shown} Shown */

export class ScenarioRunView extends LitElement {
  static properties = {
    shown: { attribute: false },
    run: { attribute: false },
    blocked: {},
    unsaved: { attribute: false },
    onOpenImage: { attribute: false },
    value: { state: true },
  };
  static styles = [
    shared,
    controls,
    scenarioStyles,
    css`
      .warn {
        color: var(--warn);
      }
      :host {
        display: grid;
        gap: 10px;
        padding: 10px;
      }
      .secrets {
        display: grid;
        gap: 6px;
      }
      .secrets label {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 2px 8px;
      }
      .secrets input {
        flex: 3 1 20ch;
        width: auto;
      }
      .secrets .name {
        display: flex;
        flex: 1 1 14ch;
        gap: 4px;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .description {
        overflow-wrap: anywhere;
        white-space: pre-line;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Shown} */
    this.shown = /** @type {any} */ (undefined);
    /** @type {import("./model/run.js").Run} */
    this.run = /** @type {any} */ (undefined);
    /** Why nothing can run now; "" where it can. */
    this.blocked = "";
    /** Whether it has changes that are not saved. */
    this.unsaved = false;
    /** @type {(part: import("./model/library.js").Part) => void} */
    this.onOpenImage = () => undefined;
    /** The parameters as they are filled in. @type {Record<string, unknown>} */
    this.value = {};
    new Following(this, () => [this.run]);
  }

  /** @param {Map<string, any>} changed */
  willUpdate(changed) {
    const before = changed.get("shown");
    if (before && before.scenario.name !== this.shown.scenario.name) this.value = {};
  }

  render() {
    const { shown, run, blocked } = this;
    const { scenario, parameters, secrets, problem } = shown;
    const names = Object.keys(parameters.properties ?? {});
    const other = run.running && run.name !== scenario.name;
    return html`${scenario.description ? html`<p class="quiet description">${scenario.description}</p>` : ""}
      ${problem ? problemText({ message: problem }) : ""}
      ${keyed(
        scenario.name,
        html`${names.length
            ? html`<k-form
                .schema=${parameters}
                .value=${this.value}
                .onChange=${(/** @type {Record<string, unknown>} */ value) => (this.value = value)}
                .onSubmit=${() => this.#start({})}
              ></k-form>`
            : html`<p class="quiet small">It takes no parameters.</p>`}
          ${secrets.length ? html`<div class="secrets" role="group" aria-label="Secrets">${secrets.map((secret) => this.#secret(secret))}</div>` : ""}`,
      )}
      <div class="row">
        ${run.running && !other
          ? html`<button type="button" @click=${() => run.cancel()}>Cancel</button>`
          : html`<button
                type="button"
                class="primary"
                title=${blocked || "Run it on this tab"}
                ?disabled=${blocked !== "" || other}
                @click=${() => this.#submit({})}
              >
                Run scenario
              </button>
              <button
                type="button"
                title="Show what would run, and do nothing"
                ?disabled=${blocked !== "" || other}
                @click=${() => this.#submit({ dry_run: true })}
              >
                Plan
              </button>`}
        <label class="check small"
          ><input type="checkbox" name="heal" ?disabled=${this.unsaved} /> Keep how changed elements were found</label
        >
      </div>
      ${other ? html`<p class="quiet small">${run.name} is running.</p>` : ""}
      ${this.unsaved
        ? html`<p class="warn small" role="status">
            Your changes are not saved yet: the saved scenario runs, and nothing is written back to it.
          </p>`
        : ""}
      ${run.name === scenario.name && run.state !== "idle"
        ? html`<k-scenario-result .run=${run} .onOpenImage=${this.onOpenImage}></k-scenario-result>`
        : ""}`;
  }

  /** @param {{scenario: string, name: string, stored: boolean}} secret */
  #secret({ scenario, name, stored }) {
    const of = scenario === this.shown.scenario.name ? "" : ` of ${scenario}`;
    return html`<label>
      <span class="name"><span class="lock" aria-hidden="true">${lock()}</span>${name}${of}</span>
      <input type="password" name=${name} data-scenario=${scenario} autocomplete="off" placeholder=${stored ? "Stored" : "Needed for this run"} />
    </label>`;
  }

  /** @param {Record<string, unknown>} more */
  #submit(more) {
    const form = /** @type {import("../components/form/form.js").Form | null} */ (/** @type {any} */ (this.renderRoot.querySelector("k-form")));
    if (!form || form.problems().length === 0) this.#start(more);
    else form.submit(); // shows what is wrong
  }

  /** @param {Record<string, unknown>} more */
  #start(more) {
    if (this.run.running || this.blocked) return;
    const fields = /** @type {HTMLInputElement[]} */ ([...this.renderRoot.querySelectorAll(".secrets input")]);
    const secrets = Object.fromEntries(fields.filter(({ value }) => value).map(({ name, dataset, value }) => [`${dataset.scenario}.${name}`, value]));
    const keep = /** @type {HTMLInputElement} */ (this.renderRoot.querySelector("[name=heal]"));
    const heal = keep.checked && !keep.disabled; // what is written to the file would end the changes
    for (const field of fields) field.value = "";
    void this.run.start(this.shown.scenario.name, {
      ...(Object.keys(this.value).length ? { parameters: this.value } : {}),
      ...(Object.keys(secrets).length ? { override_secrets: secrets } : {}),
      ...(heal ? { heal: true } : {}),
      ...more,
    });
    void this.updateComplete.then(() => this.renderRoot.querySelector("k-scenario-result")?.scrollIntoView?.({ block: "nearest" }));
  }
}

customElements.define("k-scenario-run", ScenarioRunView);
