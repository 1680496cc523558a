/**
 * `<k-scenarios .model=${model} blocked="" .onOpenImage=${(part) => …} .pickers=${[…]} .onPick=${…}></k-scenarios>`: the Record button, the scenarios, and the one that
 * is open: side by side where there is room.
 */

import "../components/empty.js";
import { saveText } from "../components/save_file.js";
import { controls, shared } from "../components/styles.js";
import "../components/tabs.js";
import { LitElement, css, html } from "../vendor/lit.js";
import { back, iconButton } from "./icons.js";
import "./list_view.js";
import { Following } from "../components/observed.js";
import { problemText } from "./problem.js";
import { savedWords } from "./model/recorded_steps.js";
import "./recording_view.js";
import "./run_view.js";
import "./editing/steps_view.js";
import { scenarioStyles } from "./styles.js";

const WIDE = 600;
const VIEWS = [
  { id: "run", label: "Run" },
  { id: "steps", label: "Steps" },
];

export class Scenarios extends LitElement {
  static properties = {
    model: { attribute: false },
    blocked: {},
    onOpenImage: { attribute: false },
    pickers: { attribute: false },
    onPick: { attribute: false },
    wide: { type: Boolean, reflect: true },
    view: { state: true },
    deleting: { state: true },
  };
  static styles = [
    shared,
    controls,
    scenarioStyles,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: auto minmax(0, 1fr);
        height: 100%;
        min-height: 0;
      }
      .body {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: minmax(0, 1fr);
        min-height: 0;
      }
      :host([wide]) .body {
        grid-template-columns: minmax(180px, 34%) minmax(0, 1fr);
      }
      :host([wide]) k-scenario-list {
        border-right: 1px solid var(--line);
      }
      .detail {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
      }
      header {
        display: grid;
        gap: 6px;
        padding: 6px 10px;
      }
      h2 {
        flex: 1;
        min-width: 0;
        color: var(--text);
        font-size: var(--size);
        overflow-wrap: anywhere;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("./model/model.js").ScenarioModel} */
    this.model = /** @type {any} */ (undefined);
    /** Why nothing can be recorded or run now; "" where it can. */
    this.blocked = "";
    /** @type {(part: import("./model/library.js").Part) => void} */
    this.onOpenImage = () => undefined;
    /** Ways to point at the element of a check. @type {{id: string, label: string, hint?: string}[]} */
    this.pickers = [];
    /** @type {(picker: string, field: string) => Promise<unknown>} */
    this.onPick = async () => undefined;
    this.wide = false;
    this.view = "run";
    this.deleting = false;
    this.following = new Following(this, () => (this.model ? [this.model.library] : []));
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new ResizeObserver(() => (this.wide = this.clientWidth >= WIDE));
    this.observer.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer?.disconnect();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("model")) this.following.renew();
  }

  render() {
    if (!this.model) return html``;
    const { library, recording } = this.model;
    const { shown } = library;
    const list = html`<k-scenario-list .library=${library} .onOpen=${(/** @type {string} */ name) => this.open(name)}></k-scenario-list>`;
    return html`<k-recording
        .recording=${recording}
        .blocked=${this.blocked}
        .pickers=${this.pickers}
        .onPick=${this.onPick}
        .onSaved=${(/** @type {string} */ name) => this.#saved(name)}
      ></k-recording>
      <div class="body">
        ${this.wide || !shown ? list : ""}
        ${shown
          ? this.#detail(shown)
          : this.wide && library.rows.length > 0
            ? html`<k-empty heading="Choose a scenario" text="Run it, or change its steps."></k-empty>`
            : ""}
      </div>`;
  }

  /** @param {import("./model/library.js").Shown} shown */
  #detail(shown) {
    const { library, run } = this.model;
    const { name, metadata } = shown.scenario;
    return html`<section class="detail" aria-label=${name}>
      <header>
        <div class="row">
          ${this.wide
            ? ""
            : iconButton(back, "All scenarios", "All scenarios", () => this.#close())}
          <h2>${metadata?.title || name}${metadata?.title ? html` <code class="quiet">${name}</code>` : ""}</h2>
          ${this.deleting
            ? html`<button type="button" class="danger" @click=${() => this.#delete()}>Delete for good</button>
                <button type="button" @click=${() => (this.deleting = false)}>Keep</button>`
            : html`<button
                  type="button"
                  class="plain small"
                  title="Save its file, for \`kapture scenario import\`: without secrets, and without unsaved changes"
                  @click=${() => saveText(`${JSON.stringify(shown.scenario, null, 2)}\n`, `${name}.json`)}
                >
                  Export
                </button>
                <button type="button" class="plain small" @click=${() => (this.deleting = true)}>Delete</button>`}
        </div>
        ${problemText(library.problem)}
        ${library.notice ? html`<p class="notice" role="status">${library.notice}</p>` : ""}
      </header>
      <k-tabs label="Scenario" .tabs=${VIEWS} .selected=${this.view} .onSelect=${(/** @type {string} */ id) => (this.view = id)}>
        <k-scenario-run
          slot="run"
          .shown=${shown}
          .run=${run}
          .blocked=${this.blocked}
          .unsaved=${library.hasDraft(name)}
          .onOpenImage=${this.onOpenImage}
        ></k-scenario-run>
        <k-scenario-steps slot="steps" .shown=${shown} .library=${library}></k-scenario-steps>
      </k-tabs>
    </section>`;
  }

  /** Show one. @param {string} name */
  async open(name) {
    this.deleting = false;
    this.view = "run";
    this.model.run.clear();
    await this.model.library.open(name);
  }

  /** @param {string} name */
  async #saved(name) {
    await this.model.library.load();
    await this.open(name);
    const { saved } = this.model.recording;
    if (saved) this.model.library.tell(savedWords(saved));
  }

  #close() {
    this.deleting = false;
    this.model.library.close();
  }

  #delete() {
    this.deleting = false;
    void this.model.library.remove();
  }
}

customElements.define("k-scenarios", Scenarios);
