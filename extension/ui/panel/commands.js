/**
 * `<k-commands>`: find a command, fill in its form, run it, see its answer; forms that are used again are saved as templates.
 */

import "../components/form/combobox.js";
import "../components/empty.js";
import "../components/form/form.js";
import "../components/answer/response.js";
import "../components/split.js";
import { controls, shared } from "../components/styles.js";
import { LitElement, css, html, keyed } from "../vendor/lit.js";

/** @typedef {import("../components/answer/response.js").Response} Response */
/** @typedef {import("../components/answer/response.js").Part} Part */
/** @typedef {{name: string, title: string, description: string, toolset: string, level: string, scope: string, timeoutMs: number, schema: any,
 *   pageTool?: {name: string, frame: string}}} Command `pageTool`: the tool of the page that it stands for */
/** @typedef {{name: string, command: string, value: Record<string, unknown>}} Template */

const TEMPLATE = "template:";
const OMIT = ["tabId"];

export class Commands extends LitElement {
  static properties = {
    commands: { attribute: false },
    templates: { attribute: false },
    command: {},
    value: { attribute: false },
    response: { attribute: false },
    blocked: {},
    notice: {},
    share: { type: Number },
    pickers: { attribute: false },
    onPick: { attribute: false },
    onChoose: { attribute: false },
    onFind: { attribute: false },
    onRun: { attribute: false },
    onCancel: { attribute: false },
    onTemplates: { attribute: false },
    onShare: { attribute: false },
    onOpenImage: { attribute: false },
    naming: { state: true },
    template: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: auto minmax(0, 1fr);
        height: 100%;
      }
      .find {
        padding: 6px 10px;
        border-bottom: 1px solid var(--line);
      }
      .ask {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: minmax(0, 1fr) auto;
        height: 100%;
      }
      .form {
        min-height: 0;
        padding: 8px 10px;
        overflow: auto;
      }
      .form > p {
        margin-bottom: 10px;
        overflow-wrap: anywhere;
        white-space: pre-line;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 6px;
        padding: 6px 10px;
        border-top: 1px solid var(--line);
        background: var(--raised);
      }
      .actions .space {
        flex: 1;
      }
      .name {
        display: flex;
        flex: 1 1 200px;
        gap: 6px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Command[]} */
    this.commands = [];
    /** @type {Template[]} */
    this.templates = [];
    this.command = "";
    /** Arguments, as far as they are filled in. @type {Record<string, unknown>} */
    this.value = {};
    /** @type {Response | null} */
    this.response = null;
    /** Why nothing can run now; "" where it can. */
    this.blocked = "";
    /** The person's next step. */
    this.notice = "";
    this.share = 0.5;
    /** @type {{id: string, label: string, hint?: string}[]} */
    this.pickers = [];
    /** @type {(picker: string, field: string) => Promise<unknown>} */
    this.onPick = async () => undefined;
    /** Called when the chosen command or its fields have changed. @type {(command: string, value: Record<string, unknown>) => void} */
    this.onChoose = () => undefined;
    /** The person looks for a command. @type {() => void} */
    this.onFind = () => undefined;
    /** @type {(command: string, value: Record<string, unknown>) => void} */
    this.onRun = () => undefined;
    /** @type {() => void} */
    this.onCancel = () => undefined;
    /** @type {(templates: Template[]) => void} */
    this.onTemplates = () => undefined;
    /** @type {(share: number) => void} */
    this.onShare = () => undefined;
    /** @type {(part: Part) => void} */
    this.onOpenImage = () => undefined;
    this.naming = false;
    /** The template that was chosen last. */
    this.template = "";
  }

  render() {
    const chosen = this.commands.find(({ name }) => name === this.command);
    return html`<div class="find" @focusin=${() => this.onFind()}>
        <k-combobox
          label="Command"
          placeholder="Find a command (Ctrl+K)"
          .options=${this.#options()}
          .value=${this.template ? TEMPLATE + this.template : this.command}
          .onSelect=${(/** @type {string} */ value) => this.#choose(value)}
        ></k-combobox>
      </div>
      <k-split stack-below="620" label="Size of the form" .share=${this.share} .onShare=${this.onShare}>
        <div slot="start" class="ask">
          ${chosen
            ? this.#ask(chosen)
            : html`<k-empty
                heading="Choose a command"
                .text=${this.commands.length > 0 ? "Type to search by name or by what it does." : this.blocked}
              ></k-empty>`}
        </div>
        <k-response
          slot="end"
          hint="Ctrl+Enter runs the command."
          .response=${this.response}
          .onOpenImage=${this.onOpenImage}
        ></k-response>
      </k-split>`;
  }

  /** @param {Command} command */
  #ask({ name, description, schema, pageTool }) {
    const running = this.response?.state === "running";
    return html`<div class="form">
        <p class="quiet">${description}</p>
        ${keyed(
          name,
          html`<k-form
            .schema=${schema}
            .value=${this.value}
            .omit=${pageTool ? [] : OMIT}
            .pickers=${this.pickers}
            .onPick=${this.onPick}
            .onChange=${(/** @type {any} */ value) => this.#filledIn(value)}
            .onSubmit=${(/** @type {any} */ value) => this.#run(value)}
          ></k-form>`,
        )}
      </div>
      <div class="actions">
        ${this.naming ? this.#nameTemplate() : this.#buttons(running)}
      </div>`;
  }

  /** @param {boolean} running */
  #buttons(running) {
    return html`<button
        type="button"
        class="primary"
        title=${this.blocked || "Ctrl+Enter"}
        ?disabled=${running || this.blocked !== ""}
        @click=${() => this.form?.submit()}
      >
        Run
      </button>
      <button type="button" title="Esc" ?disabled=${!running} @click=${this.onCancel}>Cancel</button>
      <span class="space small" role="status">${this.notice}</span>
      ${this.template ? html`<button type="button" class="plain small" @click=${this.#forgetTemplate}>Delete template</button>` : ""}
      <button type="button" class="plain small" @click=${this.#startNaming}>Save as template</button>`;
  }

  #nameTemplate() {
    return html`<form class="name" @submit=${this.#saveTemplate}>
      <input type="text" name="name" aria-label="Name of the template" placeholder="Name of the template" .value=${this.template} @keydown=${this.#nameKey} />
      <button type="submit" class="primary">Save</button>
      <button type="button" @click=${() => (this.naming = false)}>Cancel</button>
    </form>`;
  }

  /** @returns {import("../components/form/form.js").Form | null} */
  get form() {
    return /** @type {any} */ (this.renderRoot.querySelector("k-form"));
  }

  /** Put the keyboard where commands are searched. */
  find() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("k-combobox"))?.focus();
  }

  /** Choose a command with these arguments. @param {string} command @param {Record<string, unknown>} value */
  show(command, value) {
    this.template = "";
    this.command = command;
    this.#filledIn(value);
  }

  /** @returns {import("../components/form/combobox.js").Option[]} */
  #options() {
    const templates = this.templates.map(({ name, command }) => ({ value: TEMPLATE + name, label: name, hint: command, group: "Templates" }));
    const commands = this.commands
      .filter(({ scope }) => scope === "tab")
      .map(({ name, title, description, toolset, level, pageTool }) => ({
        value: name,
        label: pageTool ? title : name,
        hint: description.split("\n")[0],
        group: toolset[0].toUpperCase() + toolset.slice(1),
        note: level === "full" ? "full" : "",
      }));
    const groups = ["Core", ...commands.map(({ group }) => group)];
    return [...templates, ...commands.sort((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group))];
  }

  /** @param {string} value */
  #choose(value) {
    const template = this.templates.find(({ name }) => TEMPLATE + name === value);
    this.template = template?.name ?? "";
    this.command = template?.command ?? value;
    this.#filledIn({ ...template?.value });
    void this.updateComplete.then(() => this.form?.focusFirst());
  }

  /** @param {Record<string, unknown>} value */
  #filledIn(value) {
    this.value = value;
    this.onChoose(this.command, value);
  }

  /** @param {Record<string, unknown>} value */
  #run(value) {
    if (this.response?.state !== "running" && !this.blocked) this.onRun(this.command, value);
  }

  async #startNaming() {
    this.naming = true;
    await this.updateComplete;
    /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector(".name input"))?.select();
  }

  /** @param {KeyboardEvent} event */
  #nameKey(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.naming = false;
  }

  /** @param {SubmitEvent} event */
  #saveTemplate(event) {
    event.preventDefault();
    const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name") ?? "").trim();
    if (!name) return;
    const others = this.templates.filter((template) => template.name !== name);
    this.onTemplates([...others, { name, command: this.command, value: this.value }]);
    this.template = name;
    this.naming = false;
  }

  #forgetTemplate() {
    this.onTemplates(this.templates.filter(({ name }) => name !== this.template));
    this.template = "";
  }
}

customElements.define("k-commands", Commands);
