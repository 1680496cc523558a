/**
 * `<kc-commands>`: choose a command, fill in its form or its JSON, run it; the answer and the history beside.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { LEVEL_TONES } from "../../ui/components/access_levels.js";
import "../../ui/components/badge.js";
import "../../ui/components/button.js";
import "../../ui/components/form/form.js";
import "../../ui/components/split.js";
import { controls, shared } from "../../ui/components/styles.js";
import { hostOf, nameOf } from "../../model/names.js";
import { Following } from "../../ui/components/observed.js";
import "./answer.js";
import "./command_list.js";
import "./history.js";
import "./json_editor.js";

/** @typedef {import("../../model/app.js").Tool} Tool */

const PICKERS = [
  { id: "picture", label: "Pick", hint: "Point at an element in the picture of the tab" },
  { id: "snapshot", label: "Snapshot", hint: "Choose a line of the page's snapshot" },
];

export class Commands extends LitElement {
  static properties = { app: { attribute: false } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        height: 100%;
        min-height: 0;
        container-type: inline-size;
      }
      .all {
        display: grid;
        grid-template-columns: 186px minmax(0, 1fr);
        min-height: 0;
      }
      kc-command-list {
        border-right: 1px solid var(--line);
      }
      .chooser {
        display: none;
      }
      @container (max-width: 860px) {
        .all {
          grid-template-columns: minmax(0, 1fr);
        }
        kc-command-list {
          display: none;
        }
        .chooser {
          display: block;
        }
      }
      .editor {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        height: 100%;
        min-height: 0;
      }
      header {
        display: grid;
        gap: 7px;
        padding: 10px 14px 11px;
        border-bottom: 1px solid var(--line);
      }
      .line {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 6px 10px;
      }
      .line h2 {
        flex: 1 1 auto;
        color: var(--text);
        font-size: 15px;
      }
      .chooser select {
        font-weight: 600;
      }
      .parts {
        display: grid;
        grid-template-rows: minmax(120px, 3fr) minmax(110px, 2fr);
        min-height: 0;
      }
      .form {
        padding: 4px 14px 12px;
        overflow: auto;
      }
      kc-json-editor {
        border-top: 1px solid var(--line);
      }
      .right {
        display: grid;
        grid-template-rows: minmax(0, 3fr) minmax(120px, 2fr);
        height: 100%;
        min-height: 0;
      }
      kc-history {
        border-top: 1px solid var(--line);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    new Following(this, () => [this.app, this.app.runner]);
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  render() {
    const { app } = this;
    const { tools } = app;
    const tool = tools.find(({ name }) => name === app.tool) ?? tools[0];
    if (!tool) return html`<p class="form quiet">No commands yet: the Console is not connected to the hub.</p>`;
    const choose = (/** @type {string} */ name) => app.set({ tool: name });
    return html`<div class="all">
      <kc-command-list .tools=${tools} .selected=${tool.name} .onSelect=${choose}></kc-command-list>
      <k-split share="0.5" stack-below="520" label="Resize the editor">
        <div slot="start" class="editor">${this.#header(tool, tools, choose)}${this.#parts(tool)}</div>
        <div slot="end" class="right">
          <kc-answer .app=${app}></kc-answer>
          <kc-history .app=${app}></kc-history>
        </div>
      </k-split>
    </div>`;
  }

  /**
   * @param {Tool} tool
   * @param {Tool[]} tools
   * @param {(name: string) => void} choose
   */
  #header(tool, tools, choose) {
    const { app } = this;
    const { current } = app.runner;
    const missing = tool.takesTab && !app.tab;
    return html`<header>
      <div class="line">
        <h2 class="cut">${tool.title}</h2>
        ${tool.level && tool.level !== "none"
          ? html`<k-badge tone=${LEVEL_TONES[tool.level] ?? "off"} title="What the tab's grant must allow">${tool.level}</k-badge>`
          : ""}
        ${Object.keys(app.runner.given(tool.name)).length
          ? html`<button type="button" class="plain" title="Empty all parameters" @click=${() => app.runner.edit(tool.name, {})}>Clear</button>`
          : ""}
        ${current
          ? html`<k-button variant="danger" class="cancel" hint="Escape" @click=${() => this.#cancel()}>Cancel</k-button>`
          : ""}
        <k-button
          variant="primary"
          class="run"
          hint="Ctrl+Enter"
          ?disabled=${missing}
          .busy=${Boolean(current)}
          @click=${() => this.#submit()}
          >Run</k-button
        >
      </div>
      <div class="chooser">
        <select aria-label="Command" @change=${(/** @type {any} */ { target }) => choose(target.value)}>
          ${tools.map(({ name, title }) => html`<option value=${name} .selected=${name === tool.name}>${title}</option>`)}
        </select>
      </div>
      <p>${tool.description}</p>
      ${tool.takesTab
        ? html`<p class="small quiet cut">
            ${missing ? "Choose a tab first." : html`on <b dir="auto">${nameOf(app.tab)}</b> · ${hostOf(app.tab?.url ?? "")}`}
          </p>`
        : html`<p class="small quiet">${tool.ofPage ? "a page's tool" : "needs no tab"}</p>`}
    </header>`;
  }

  /** @param {Tool} tool */
  #parts(tool) {
    const { runner } = this.app;
    const value = runner.given(tool.name);
    const schema = tool.ofPage ? tool.schema : withoutTab(tool.schema);
    const edit = (/** @type {Record<string, unknown>} */ next) => runner.edit(tool.name, next);
    const run = (/** @type {Record<string, unknown>} */ next) => void runner.run(tool.name, next, tool.takesTab);
    return html`<div class="parts">
      <div class="form">
        <k-form
          .schema=${schema}
          .value=${value}
          .pickers=${tool.takesTab && this.app.connection.options.profile === "kapture" ? PICKERS : []}
          .onPick=${(/** @type {string} */ picker) => (picker === "snapshot" ? runner.pick() : this.app.pick())}
          .onChange=${edit}
          .onSubmit=${run}
        ></k-form>
        ${Object.keys(schema.properties).length === 0 ? html`<p class="quiet">This command takes no parameters.</p>` : ""}
      </div>
      <kc-json-editor
        label="Parameters as JSON"
        .command=${tool.name}
        .schema=${schema}
        .value=${value}
        .onChange=${edit}
        .onSubmit=${() => this.#submit()}
      ></kc-json-editor>
    </div>`;
  }

  /** The button goes, so that the focus needs another place. */
  #cancel() {
    this.app.runner.cancel();
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".run"))?.focus();
  }

  #submit() {
    const form = /** @type {import("../../ui/components/form/form.js").Form | null} */ (this.renderRoot.querySelector("k-form"));
    const editor = /** @type {import("./json_editor.js").JsonEditor | null} */ (this.renderRoot.querySelector("kc-json-editor"));
    if (editor && !editor.valid) return void editor.focus();
    form?.submit();
  }

  /** Put the keyboard where a command is chosen: into the list's search, or the menu where there is no room for a list. */
  async search() {
    await this.updateComplete;
    const list = /** @type {import("./command_list.js").CommandList | null} */ (this.renderRoot.querySelector("kc-command-list"));
    await list?.updateComplete;
    if (list?.offsetWidth) list.focus();
    else /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".chooser select"))?.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) this.#submit();
    if (event.key !== "Escape" || event.defaultPrevented) return; // a list of completions has closed
    this.app.runner.endPick();
    this.app.runner.cancel();
  }
}

/** @type {WeakMap<object, Record<string, any>>} */
const withoutTabs = new WeakMap();

/** The schema as the form has it: the tab is the selected one. @param {Record<string, any>} schema */
function withoutTab(schema) {
  let made = withoutTabs.get(schema);
  if (!made) {
    const { tabId: _tab, ...properties } = schema.properties ?? {};
    made = { ...schema, properties, required: (schema.required ?? []).filter((/** @type {string} */ name) => name !== "tabId") };
    withoutTabs.set(schema, made);
  }
  return made;
}

customElements.define("kc-commands", Commands);
