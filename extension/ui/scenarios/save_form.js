/**
 * `<k-save-recording .recording=${recording} .secrets=${["password"]} .onSaved=${(name) => …} .onCancel=${() => …}></k-save-recording>`:
 * what a recording is to be called, and whether its secrets are stored.
 */

import { controls, shared } from "../components/styles.js";
import { LitElement, css, html } from "../vendor/lit.js";
import { Following } from "../components/observed.js";
import { problemText } from "./problem.js";
import { SCENARIO_NAME, VARIABLE, canBeSecret as becomesParameter, nameIsTaken, tagsIn, typedText } from "./model/recorded_steps.js";
import { scenarioStyles } from "./styles.js";

export class SaveForm extends LitElement {
  static properties = {
    recording: { attribute: false },
    secrets: { attribute: false },
    steps: { attribute: false },
    onSaved: { attribute: false },
    onCancel: { attribute: false },
  };
  static styles = [
    shared,
    controls,
    scenarioStyles,
    css`
      form {
        display: grid;
        gap: 6px;
        padding: 8px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--ground);
      }
      .field {
        display: grid;
        grid-template-columns: 11ch minmax(0, 1fr);
        align-items: center;
        gap: 6px;
      }
      .parameters {
        display: grid;
        gap: 6px;
        max-height: 30vh;
        padding: 2px;
        margin: -2px;
        overflow: auto;
      }
      .halves {
        grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("./model/recording.js").Recording} */
    this.recording = /** @type {any} */ (undefined);
    /** Names of the secrets that were recorded. @type {string[]} */
    this.secrets = [];
    /** The recorded steps: texts that they type may become parameters. @type {import("./model/recording.js").RecordedStep[]} */
    this.steps = [];
    /** @type {(name: string) => void} */
    this.onSaved = () => undefined;
    /** @type {() => void} */
    this.onCancel = () => undefined;
    new Following(this, () => [this.recording]);
  }

  render() {
    const { recording, secrets } = this;
    return html`<form @submit=${this.#submit} @keydown=${this.#key}>
      <label class="field"
        ><span>Name</span
        ><input name="name" required pattern=${SCENARIO_NAME} title="Letters, digits, _ and -" placeholder="sign_in" autocomplete="off"
      /></label>
      <label class="field"><span>Title</span><input name="title" maxlength="200" placeholder="For people" autocomplete="off" /></label>
      <label class="field"><span>Description</span><input name="description" maxlength="2000" autocomplete="off" /></label>
      <label class="field"><span>Tags</span><input name="tags" placeholder="shop, sign-in" autocomplete="off" /></label>
      ${this.#parameters()}
      ${secrets.length
        ? html`<label class="check"
            ><input type="checkbox" name="store" /> Store ${secrets.join(", ")} on this computer, encrypted; otherwise each run asks</label
          >`
        : ""}
      ${nameIsTaken(recording.problem) ? html`<label class="check"><input type="checkbox" name="replace" /> Replace the scenario of this name</label>` : ""}
      ${problemText(recording.problem)}
      <div class="row">
        <button type="submit" class="primary" ?disabled=${recording.busy}>${recording.busy ? "Saving…" : "Save scenario"}</button>
        <button type="button" @click=${() => this.onCancel()}>Cancel</button>
      </div>
    </form>`;
  }

  #parameters() {
    const steps = this.steps.filter(becomesParameter);
    if (steps.length === 0) return "";
    return html`<p class="quiet">Name the texts that differ between runs:</p>
      <div class="parameters" role="group" aria-label="Parameters">
        ${steps.map(
          (step) => html`<label class="field halves"
            ><span class="cut" title=${typedText(step)}>${typedText(step)}</span
            ><input name="parameter ${step.id}" aria-label="Parameter: ${step.title}" pattern=${VARIABLE} title="Letters, digits and _" placeholder="parameter" autocomplete="off"
          /></label>`,
        )}
      </div>`;
  }

  firstUpdated() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("[name=name]"))?.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.onCancel();
  }

  /** @param {SubmitEvent} event */
  async #submit(event) {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const text = (/** @type {string} */ name) => String(given.get(name) ?? "").trim();
    const name = text("name");
    const tags = tagsIn(text("tags"));
    const named = this.steps.map(({ id }) => [id, text(`parameter ${id}`)]).filter(([, parameter]) => parameter);
    const parameters = Object.fromEntries(named);
    const saved = await this.recording.save({
      name,
      ...(text("title") ? { title: text("title") } : {}),
      ...(text("description") ? { description: text("description") } : {}),
      ...(tags.length ? { tags } : {}),
      ...(Object.keys(parameters).length ? { parameters } : {}),
      ...(given.get("store") ? { store_secrets: true } : {}),
      ...(given.get("replace") ? { replace: true } : {}),
    });
    if (saved) this.onSaved(name);
  }
}

customElements.define("k-save-recording", SaveForm);
