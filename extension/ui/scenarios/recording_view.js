/**
 * `<k-recording .recording=${recording} blocked="" .onSaved=${(name) => …} .pickers=${[…]} .onPick=${…}></k-recording>`: the Record
 * button; what has been recorded, as it happens; adding a check; saving it. Pickers are those of `<k-form>`.
 */

import "../components/badge.js";
import "../components/form/form.js";
import { controls, shared } from "../components/styles.js";
import { LitElement, css, html, repeat } from "../vendor/lit.js";
import { openForm } from "./editing/open_form.js";
import { recordedCheckSchema } from "./editing/step_form.js";
import { cross, iconButton, lock, openLock, pencil } from "./icons.js";
import { Following } from "../components/observed.js";
import { problemText } from "./problem.js";
import { canBeSecret, isEditable, recordingSummary, secretsIn, valueBeside } from "./model/recorded_steps.js";
import { scenarioStyles } from "./styles.js";
import "./save_form.js";

/** @typedef {import("./model/recording.js").Recording} Recording */
/** @typedef {import("./model/recording.js").RecordedStep} RecordedStep */

export class RecordingView extends LitElement {
  static properties = {
    recording: { attribute: false },
    blocked: {},
    onSaved: { attribute: false },
    pickers: { attribute: false },
    onPick: { attribute: false },
    checking: { state: true },
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
        gap: 6px;
        padding: 6px 10px;
        border-bottom: 1px solid var(--line);
        background: var(--raised);
      }
      .dot {
        width: 10px;
        height: 10px;
        border-radius: 50%;
        background: var(--bad);
      }
      .list {
        max-height: min(38vh, 320px);
        padding: 0 8px;
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--ground);
      }
      .check-form {
        display: grid;
        gap: 6px;
        padding: 8px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--ground);
      }
      .value {
        color: var(--quiet);
        overflow-wrap: anywhere;
      }
      form.edit {
        display: flex;
        flex: 1 1 16ch;
        gap: 6px;
      }
      @media (prefers-reduced-motion: no-preference) {
        .live .dot {
          animation: pulse 1.6s ease-in-out infinite;
        }
      }
      @keyframes pulse {
        50% {
          opacity: 0.35;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Recording} */
    this.recording = /** @type {any} */ (undefined);
    /** Why nothing can be recorded now; "" where it can. */
    this.blocked = "";
    /** @type {(name: string) => void} */
    this.onSaved = () => undefined;
    /** @type {{id: string, label: string, hint?: string}[]} */
    this.pickers = [];
    /** @type {(picker: string, field: string) => Promise<unknown>} */
    this.onPick = async () => undefined;
    /** The check being added. @type {Record<string, unknown> | null} */
    this.checking = null;
    /** The step whose value is being changed. */
    this.editing = "";
    this.saving = false;
    this.following = new Following(this, () => (this.recording ? [this.recording] : []));
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("recording")) return;
    this.following.renew();
    this.saving = false; // it was the recording of another tab that was to be saved
    this.editing = "";
    this.checking = null;
  }

  render() {
    const { recording } = this;
    const steps = recording.state?.steps ?? [];
    const live = recording.going;
    return html`<div class="row ${live ? "live" : ""}">
        ${live
          ? html`<k-badge tone="bad" role="status"><span class="dot" aria-hidden="true"></span>Recording</k-badge>`
          : html`<button
              type="button"
              ?disabled=${this.blocked !== "" || recording.busy}
              title=${this.blocked || "Record what you do on this tab"}
              @click=${() => this.#start()}
            >
              <span class="dot" aria-hidden="true"></span>${recording.state ? "Record again" : "Record"}
            </button>`}
        <span class="quiet small space">${recordingSummary(recording.state)}</span>
        ${live
          ? html`<button
                type="button"
                class="plain small"
                aria-expanded=${this.checking ? "true" : "false"}
                title="Add what must hold now when the scenario runs"
                @click=${() => (this.checking = this.checking ? null : { kind: "text" })}
              >
                Add a check
              </button>
              <button type="button" ?disabled=${recording.busy} @click=${() => recording.stop()}>Stop</button>`
          : html`<button
              type="button"
              class="plain small"
              ?disabled=${this.blocked !== "" || recording.busy}
              title="Show the recorder in the page, and start it there"
              @click=${() => recording.offer()}
            >
              Record in the page
            </button>`}
        ${recording.state && !this.saving
          ? html`<button type="button" class="primary" ?disabled=${steps.length === 0 || recording.busy} @click=${() => (this.saving = true)}>Save…</button>`
          : ""}
      </div>
      ${live && this.checking ? this.#check(this.checking) : ""}
      ${this.saving && recording.state ? this.#save(steps) : problemText(recording.problem)}
      ${steps.length ? this.#list(steps) : ""}`;
  }

  /** @param {Record<string, unknown>} check */
  #check(check) {
    return html`<div class="check-form">
      <k-form
        .schema=${recordedCheckSchema}
        .value=${check}
        .pickers=${this.pickers}
        .onPick=${this.onPick}
        .onChange=${(/** @type {Record<string, unknown>} */ value) => (this.checking = value)}
        .onSubmit=${(/** @type {Record<string, unknown>} */ value) => void this.#addCheck(value)}
      ></k-form>
      <div class="row">
        <button type="button" class="primary" ?disabled=${this.recording.busy} @click=${() => openForm(this)?.submit()}>Add</button>
        <button type="button" @click=${() => (this.checking = null)}>Cancel</button>
      </div>
    </div>`;
  }

  /** @param {Record<string, unknown>} check */
  async #addCheck(check) {
    if (await this.recording.check(check)) this.checking = null;
  }

  /** @param {RecordedStep[]} steps */
  #list(steps) {
    return html`<ol class="list steps" aria-label="Recorded steps">
      ${repeat(
        steps,
        ({ id }) => id,
        (step, at) => html`<li>
          <span class="count number">${at + 1}</span>
          ${this.editing === step.id ? this.#edit(step) : this.#step(step)}
        </li>`,
      )}
    </ol>`;
  }

  /** @param {RecordedStep} step */
  #step(step) {
    const { recording } = this;
    const { id, title, secret } = step;
    const value = valueBeside(step);
    return html`<span class="words">
        ${secret
          ? html`<span class="lock" role="img" aria-label="Secret" title="Kept as the secret ${secret}; its value is shown nowhere"
              >${lock()}</span
            >`
          : ""}
        ${title}${value === undefined ? "" : html` <span class="value">${value}</span>`} ${secret ? html` <code>{{${secret}}}</code>` : ""}
      </span>
      <span class="tools">
        ${canBeSecret(step)
          ? iconButton(openLock, "Keep what is typed as a secret", `Keep as a secret: ${title}`, () => recording.keepSecret(id), {
              disabled: recording.busy,
            })
          : ""}
        ${isEditable(step)
          ? iconButton(pencil, "Edit", `Edit: ${title}`, () => this.#startEditing(id))
          : ""}
        ${iconButton(cross, "Delete", `Delete: ${title}`, () => recording.remove(id), { disabled: recording.busy })}
      </span>`;
  }

  /** @param {RecordedStep} step */
  #edit({ id, title, value }) {
    return html`<form class="edit" @submit=${(/** @type {SubmitEvent} */ event) => this.#edited(event, id)}>
      <input name="value" aria-label="Value of ${title}" .value=${value ?? ""} @keydown=${this.#editKey} />
      <button type="submit" class="primary">Set</button>
    </form>`;
  }

  /** @param {RecordedStep[]} steps */
  #save(steps) {
    return html`<k-save-recording
      .recording=${this.recording}
      .secrets=${secretsIn(steps)}
      .steps=${steps}
      .onCancel=${() => this.#closeSaving()}
      .onSaved=${(/** @type {string} */ name) => {
        this.#closeSaving();
        this.onSaved(name);
      }}
    ></k-save-recording>`;
  }

  #closeSaving() {
    this.saving = false;
    this.recording.clearProblem();
  }

  #start() {
    this.saving = false;
    void this.recording.start();
  }

  /** @param {string} id */
  async #startEditing(id) {
    this.editing = id;
    await this.updateComplete;
    /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector(".edit input"))?.select();
  }

  /** @param {KeyboardEvent} event */
  #editKey(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.editing = "";
  }

  /**
   * @param {SubmitEvent} event
   * @param {string} id
   */
  #edited(event, id) {
    event.preventDefault();
    const field = /** @type {HTMLFormElement} */ (event.target).elements.namedItem("value");
    this.editing = "";
    void this.recording.setValue(id, /** @type {HTMLInputElement} */ (field).value);
  }
}

customElements.define("k-recording", RecordingView);
