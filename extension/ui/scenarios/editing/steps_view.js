/**
 * `<k-scenario-steps .shown=${shown} .library=${library}></k-scenario-steps>`: what a scenario is called, its parameters, what runs before it
 * and its steps, to be changed, moved and deleted. Nothing is written before Save, and nothing while a field is wrong.
 */

import "../../components/form/form.js";
import { controls, shared } from "../../components/styles.js";
import { LitElement, css, html } from "../../vendor/lit.js";
import { dependencyProblems, dependencyRows, dependencySchema, dependencyWords } from "./dependency_form.js";
import { editedScenario } from "./edited_scenario.js";
import { cross, down, iconButton, lock, pencil, up } from "../icons.js";
import { closeForm, followMove, moved, openForm, toggleForm } from "./open_form.js";
import { parameterProblems, parameterRows, parameterSchema, parameterWords } from "./parameter_form.js";
import "./parts_view.js";
import { refusalOf } from "./refusal.js";
import { aboutSchema, aboutValue, checkSchema, commandSchema, stepValue, stepWords, withAbout, withStep } from "./step_form.js";
import { scenarioStyles } from "../styles.js";

/** @typedef {import("../model/scenario.js").Scenario} Scenario */
/** @typedef {import("../model/scenario.js").Step} Step */
/** @typedef {import("./parameter_form.js").Row} Row */

export class ScenarioSteps extends LitElement {
  static properties = {
    shown: { attribute: false },
    library: { attribute: false },
    draft: { state: true },
    parameters: { state: true },
    dependencies: { state: true },
    refused: { state: true },
    editing: { state: true },
    saving: { state: true },
  };
  static styles = [
    shared,
    controls,
    scenarioStyles,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: minmax(0, 1fr) auto;
        height: 100%;
      }
      .all {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        align-content: start;
        gap: 8px;
        padding: 10px;
        overflow: auto;
      }
      h3 {
        font-size: var(--size);
      }
      k-form {
        flex-basis: 100%;
        padding: 8px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--raised);
      }
      .bar {
        padding: 6px 10px;
        border-top: 1px solid var(--line);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../model/library.js").Shown} */
    this.shown = /** @type {any} */ (undefined);
    /** @type {import("../model/library.js").Library} */
    this.library = /** @type {any} */ (undefined);
    /** The scenario as changed; null while it is as written. @type {Scenario | null} */
    this.draft = null;
    /** @type {import("./parameter_form.js").Row[]} */
    this.parameters = [];
    /** @type {import("./parameter_form.js").Row[]} */
    this.dependencies = [];
    /** Why the hub refused an entry, until something is changed. @type {import("./refusal.js").Refusal | null} */
    this.refused = null;
    /** The part being edited: "about", or the index of a step. @type {"about" | number | null} */
    this.editing = null;
    this.saving = false;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("shown")) this.#read();
  }

  render() {
    const scenario = this.draft ?? this.shown.scenario;
    const last = scenario.chain.length - 1;
    const { refused, parameters, dependencies } = this;
    const names = [...parameters.map(({ value }) => value.name), ...(scenario.secrets ?? [])];
    return html`<div class="all">
        <div class="row">
          <span class="quiet small space">${this.draft ? "Unsaved changes" : ""}</span>
          <button type="button" class="plain small" aria-expanded=${this.editing === "about"} @click=${() => toggleForm(this, "about")}>
            Title, description and tags
          </button>
        </div>
        ${this.editing === "about"
          ? html`<k-form
              .schema=${aboutSchema}
              .value=${aboutValue(scenario)}
              .onChange=${(/** @type {any} */ value) => this.#changed(withAbout(scenario, value))}
            ></k-form>`
          : ""}
        <k-scenario-parts
          heading="Parameters"
          noun="parameter"
          help="What a run is given. Steps use a parameter as {{name}}."
          .rows=${parameters}
          .schemaOf=${parameterSchema}
          .wordsOf=${parameterWords}
          .problemsOf=${(/** @type {Row} */ row) => parameterProblems(row, parameters, scenario.secrets ?? [])}
          .refused=${refused?.part === "parameters" ? refused : null}
          .onRows=${(/** @type {Row[]} */ rows) => this.#changed(scenario, { parameters: rows })}
        ></k-scenario-parts>
        <k-scenario-parts
          heading="Runs first"
          noun="scenario"
          help="Scenarios that run before this one, such as one that signs in."
          .rows=${dependencies}
          .schemaOf=${dependencySchema}
          .wordsOf=${dependencyWords}
          .problemsOf=${(/** @type {Row} */ row) => dependencyProblems(row, names, scenario.name)}
          .refused=${refused?.part === "dependencies" ? refused : null}
          .onRows=${(/** @type {Row[]} */ rows) => this.#changed(scenario, { dependencies: rows })}
        ></k-scenario-parts>
        <h3>Steps</h3>
        <ol class="steps" aria-label="Steps">
          ${scenario.chain.map((step, at) => this.#step(step, at, last))}
        </ol>
      </div>
      ${this.draft
        ? html`<div class="row bar">
            <button type="button" class="primary" ?disabled=${this.saving} @click=${this.#save}>Save changes</button>
            <button type="button" ?disabled=${this.saving} @click=${() => this.#discard()}>Discard</button>
          </div>`
        : ""}`;
  }

  /**
   * @param {Step} step
   * @param {number} at
   * @param {number} last
   */
  #step(step, at, last) {
    const words = stepWords(step);
    const name = `step ${at + 1}: ${words}`;
    return html`<li>
      <span class="count number">${at + 1}</span>
      <span class="words"
        >${step.secret ? html`<span class="lock" role="img" aria-label="Secret" title="It types a secret">${lock()}</span>` : ""}
        ${words}</span
      >
      <span class="tools">
        ${iconButton(up, "Move up", `Move up ${name}`, () => this.#move(at, -1), { disabled: at === 0 })}
        ${iconButton(down, "Move down", `Move down ${name}`, () => this.#move(at, 1), { disabled: at === last })}
        ${iconButton(pencil, "Edit", `Edit ${name}`, () => toggleForm(this, at), { expanded: this.editing === at })}
        ${iconButton(cross, "Delete", `Delete ${name}`, () => this.#delete(at), { disabled: last === 0 })}
      </span>
      ${this.editing === at
        ? html`<k-form
            .schema=${step.check ? checkSchema : commandSchema}
            .value=${stepValue(step)}
            .found=${this.refused?.part === "chain" && this.refused.at === at ? [this.refused.problem] : []}
            .onChange=${(/** @type {any} */ value) => this.#put(at, withStep(step, value))}
          ></k-form>`
        : ""}
    </li>`;
  }

  /**
   * @param {number} at
   * @param {Step} step
   */
  #put(at, step) {
    this.#change((chain) => chain.with(at, step));
  }

  /**
   * @param {number} at
   * @param {number} by
   */
  #move(at, by) {
    if (!closeForm(this)) return;
    this.#change((chain) => moved(chain, at, by));
    void followMove(this, at + by, by);
  }

  /** @param {number} at */
  #delete(at) {
    if (this.editing !== at && !closeForm(this)) return;
    this.editing = null;
    this.#change((chain) => chain.toSpliced(at, 1));
  }

  /** @param {(chain: Step[]) => Step[]} change */
  #change(change) {
    const scenario = this.draft ?? this.shown.scenario;
    this.#changed({ ...scenario, chain: change(scenario.chain) });
  }

  /**
   * @param {Scenario} draft
   * @param {{parameters?: Row[], dependencies?: Row[]}} [lists]
   */
  #changed(draft, { parameters = this.parameters, dependencies = this.dependencies } = {}) {
    Object.assign(this, { draft, parameters, dependencies, refused: null });
    this.library.keepDraft(draft.name, { of: this.shown.scenario, scenario: draft, parameters, dependencies });
  }

  #discard() {
    this.library.keepDraft(this.shown.scenario.name, null);
    this.#read();
  }

  /** Take over the scenario as it is written, with the changes that were made to it here. */
  #read() {
    const { scenario } = this.shown;
    const kept = this.library.draftOf(scenario);
    this.draft = kept?.scenario ?? null;
    this.editing = null;
    this.refused = null;
    this.parameters = kept?.parameters ?? parameterRows(scenario);
    this.dependencies = kept?.dependencies ?? dependencyRows(scenario);
  }

  /** Whether every field is right; else the first one that is not is shown. */
  #settled() {
    const form = openForm(this);
    if (form && form.problems().length > 0) return form.submit();
    const lists = /** @type {import("./parts_view.js").ScenarioParts[]} */ ([...this.renderRoot.querySelectorAll("k-scenario-parts")]);
    return lists.every((list) => list.settled());
  }

  async #save() {
    if (!this.draft || !this.#settled()) return;
    this.saving = true;
    const { draft, parameters, dependencies, library } = this;
    const written = await library.replace(editedScenario(draft, parameters, dependencies));
    this.saving = false;
    if (written || this.shown.scenario.name !== draft.name) return; // another one is shown by now
    this.refused = refusalOf(library.problem, parameters.map(({ value }) => value.name));
    if (this.refused?.part === "chain") this.editing = this.refused.at;
  }
}

customElements.define("k-scenario-steps", ScenarioSteps);
