/**
 * `<k-scenario-steps .shown=${shown} .library=${library}></k-scenario-steps>`: what a scenario is called and its steps, to be changed, moved
 * and deleted. Nothing is written before Save.
 */

import "../components/form.js";
import { controls, shared } from "../components/styles.js";
import { LitElement, css, html } from "../vendor/lit.js";
import { cross, down, lock, pencil, up } from "./icons.js";
import { aboutSchema, aboutValue, checkSchema, commandSchema, stepValue, stepWords, withAbout, withStep } from "./step_form.js";
import { scenarioStyles } from "./styles.js";

/** @typedef {import("./library.js").Scenario} Scenario */
/** @typedef {import("./library.js").Step} Step */

export class ScenarioSteps extends LitElement {
  static properties = {
    shown: { attribute: false },
    library: { attribute: false },
    draft: { state: true },
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
        gap: 8px;
        padding: 10px;
      }
      k-form {
        flex-basis: 100%;
        padding: 8px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--raised);
      }
      .bar {
        position: sticky;
        bottom: 0;
        padding: 6px 0;
        background: var(--ground);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("./library.js").Shown} */
    this.shown = /** @type {any} */ (undefined);
    /** @type {import("./library.js").Library} */
    this.library = /** @type {any} */ (undefined);
    /** The scenario as changed; null while it is as written. @type {Scenario | null} */
    this.draft = null;
    /** What is being edited: "about", or the index of a step. @type {"about" | number | null} */
    this.editing = null;
    this.saving = false;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("shown")) return;
    this.draft = null;
    this.editing = null;
  }

  render() {
    const scenario = this.draft ?? this.shown.scenario;
    const last = scenario.chain.length - 1;
    return html`<div class="row">
        <span class="quiet small space">${scenario.chain.length} step${last ? "s" : ""}${this.draft ? ", changed" : ""}</span>
        <button type="button" class="plain small" aria-expanded=${this.editing === "about"} @click=${() => this.#edit("about")}>Title and tags</button>
      </div>
      ${this.editing === "about"
        ? html`<k-form .schema=${aboutSchema} .value=${aboutValue(scenario)} .onChange=${(/** @type {any} */ value) => (this.draft = withAbout(scenario, value))}></k-form>`
        : ""}
      <ol class="steps" aria-label="Steps">
        ${scenario.chain.map((step, at) => this.#step(step, at, last))}
      </ol>
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
      <span class="words">${step.secret ? html`<span class="lock" role="img" aria-label="Secret" title="It types a secret">${lock()}</span>` : ""} ${words}</span>
      <span class="tools">
        <button type="button" class="icon" ?disabled=${at === 0} aria-label="Move up ${name}" title="Move up" @click=${() => this.#move(at, -1)}>${up()}</button>
        <button type="button" class="icon" ?disabled=${at === last} aria-label="Move down ${name}" title="Move down" @click=${() => this.#move(at, 1)}>${down()}</button>
        <button type="button" class="icon" aria-expanded=${this.editing === at} aria-label="Edit ${name}" title="Edit" @click=${() => this.#edit(at)}>${pencil()}</button>
        <button type="button" class="icon" ?disabled=${last === 0} aria-label="Delete ${name}" title="Delete" @click=${() => this.#delete(at)}>${cross()}</button>
      </span>
      ${this.editing === at
        ? html`<k-form
            .schema=${step.check ? checkSchema : commandSchema}
            .value=${stepValue(step)}
            .onChange=${(/** @type {any} */ value) => this.#put(at, withStep(step, value))}
          ></k-form>`
        : ""}
    </li>`;
  }

  /** @param {"about" | number} what */
  #edit(what) {
    this.editing = this.editing === what ? null : what;
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
    this.editing = null;
    this.#change((chain) => chain.toSpliced(at, 1).toSpliced(at + by, 0, chain[at]));
  }

  /** @param {number} at */
  #delete(at) {
    this.editing = null;
    this.#change((chain) => chain.toSpliced(at, 1));
  }

  /** @param {(chain: Step[]) => Step[]} change */
  #change(change) {
    const scenario = this.draft ?? this.shown.scenario;
    this.draft = { ...scenario, chain: change(scenario.chain) };
  }

  #discard() {
    this.draft = null;
    this.editing = null;
  }

  async #save() {
    if (!this.draft) return;
    this.saving = true;
    await this.library.replace(this.draft);
    this.saving = false;
  }
}

customElements.define("k-scenario-steps", ScenarioSteps);
