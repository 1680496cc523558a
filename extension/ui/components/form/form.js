/**
 * A form made from a JSON Schema: units, bounds, enums, defaults, required fields; lists and objects as JSON.
 *
 *     <k-form .schema=${schema} .value=${{}} .omit=${["tabId"]} .pickers=${[{ id: "page", label: "Pick" }]}
 *       .found=${[{ path: ["key"], message: "…" }]}
 *       .onPick=${async (picker, field) => "#save"} .onChange=${(value, problems) => …} .onSubmit=${(value) => …}></k-form>
 *
 * `value` may be set from outside at any time; keys that have no field are kept. `submit()` shows what is wrong and focuses it,
 * or calls `onSubmit`. Ctrl+Enter submits from every field, Enter from those of one line.
 */

import { LitElement, html, nothing, repeat } from "../../vendor/lit.js";
import { control } from "./form_control.js";
import { formStyles } from "./form_styles.js";
import { problemsOf } from "./schema_check.js";
import { fieldsOf, textOf, valueOf } from "./schema_fields.js";
import { controls, shared } from "../styles.js";

/** @typedef {import("./schema_fields.js").Field} Field */
/** @typedef {import("./schema_check.js").Problem} Problem */
/** @typedef {Record<string, unknown>} Value */

export class Form extends LitElement {
  static properties = {
    schema: { attribute: false },
    value: { attribute: false },
    omit: { attribute: false },
    pickers: { attribute: false },
    found: { attribute: false },
    onPick: { attribute: false },
    onChange: { attribute: false },
    onSubmit: { attribute: false },
    touched: { state: true },
    picking: { state: true },
  };
  static styles = [shared, controls, formStyles];

  constructor() {
    super();
    /** @type {Record<string, any>} */
    this.schema = { properties: {} };
    /** @type {Value} */
    this.value = {};
    /** @type {string[]} */
    this.omit = [];
    /** Ways to fill in a target. @type {{id: string, label: string, hint?: string}[]} */
    this.pickers = [];
    /** Problems found elsewhere; shown at once, and above the fields where it is about none of them. @type {Problem[]} */
    this.found = [];
    /** @type {(picker: string, field: string) => Promise<unknown>} undefined: the person has given up */
    this.onPick = async () => undefined;
    /** @type {(value: Value, problems: Problem[]) => void} */
    this.onChange = () => undefined;
    /** @type {(value: Value) => void} */
    this.onSubmit = () => undefined;
    /** Fields whose problems are shown. @type {Set<string>} */
    this.touched = new Set();
    /**
     * Typed text that is not a value, by field: the text, its problem, and the value until then.
     * @type {Map<string, {text: string, message: string, before: string | undefined}>}
     */
    this.drafts = new Map();
    /** The text of each field as typed, with the value that it made. @type {Map<string, {text: string, value: string}>} */
    this.typed = new Map();
    this.picking = "";
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("schema")) {
      this.touched = new Set();
      this.drafts.clear();
      this.typed.clear();
    } else if (changed.has("value")) {
      for (const [name, { before }] of this.drafts) if (this.#written(name) !== before) this.drafts.delete(name);
    }
  }

  /** The problems of the form's present input. @returns {Problem[]} */
  problems() {
    const drafts = [...this.drafts].map(([name, { message }]) => ({ path: [name], message }));
    const { omit } = this;
    const found = problemsOf(this.schema, this.value).filter(({ path: [name] }) => !this.drafts.has(name) && !omit.includes(name));
    return [...drafts, ...found];
  }

  /** @returns {boolean} whether it could be submitted */
  submit() {
    const problems = this.problems();
    if (problems.length === 0) {
      this.onSubmit(this.value);
      return true;
    }
    this.touched = new Set(problems.map(({ path: [name] }) => name));
    void this.updateComplete.then(() => {
      const field = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('[aria-invalid="true"]'));
      if (field) field.focus();
      else this.renderRoot.querySelector('[role="alert"]')?.scrollIntoView?.({ block: "nearest" });
    });
    return false;
  }

  /** Put the keyboard into the first field. */
  async focusFirst() {
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("input, select, textarea"))?.focus();
  }

  render() {
    const fields = fieldsOf(this.schema, this.omit);
    const problems = this.problems();
    const fieldless = (/** @type {Problem} */ { path: [name] }) => !fields.some((field) => field.name === name);
    const unknown = problems.filter((problem) => this.touched.has(problem.path[0]) && fieldless(problem));
    const others = [...unknown.map(({ path, message }) => `${path.join(".")}: ${message}`), ...this.found.filter(fieldless).map(({ message }) => message)];
    return html`<form @submit=${this.#submitted} @keydown=${this.#key} novalidate>
      ${others.map((message) => html`<p class="bad small" role="alert">${message}</p>`)}
      ${repeat(
        fields,
        ({ name }) => name,
        (field) => {
          const own = this.touched.has(field.name) ? problems : [];
          const problem = [...own, ...this.found].find(({ path }) => path[0] === field.name);
          return this.#field(field, problem ? problemText(problem) : "");
        },
      )}
      <button type="submit" hidden></button>
    </form>`;
  }

  /**
   * @param {Field} field
   * @param {string} problem
   */
  #field(field, problem) {
    const { name, label, kind, required, unit, help } = field;
    const own = kind === "boolean" || kind === "flags";
    const mark = required ? html`<span class="required" aria-hidden="true" title="Required">*</span>` : "";
    return html`<div class="field ${kind}" data-field=${name}>
      ${own ? html`<span class="label" id="label-${name}">${label}${mark}</span>` : html`<label class="label" for="in-${name}">${label}${mark}</label>`}
      <div class="control">
        ${control(field, {
          value: this.value[name],
          text: this.#text(field),
          invalid: problem !== "",
          described: Boolean(problem || help),
          set: (value) => this.#set(name, value),
          type: (text) => this.#typed(field, text),
          leave: () => (this.touched = new Set([...this.touched, name])),
        })}${unit ? html`<span class="unit">${unit}</span>` : ""}
        ${kind === "target" ? this.#pickers(field) : ""}
      </div>
      ${problem || help
        ? html`<p class="help small ${problem ? "bad" : "quiet"}" id="help-${name}" role=${problem ? "alert" : nothing}>${problem || withCode(help)}</p>`
        : ""}
    </div>`;
  }

  /** @param {Field} field */
  #pickers({ name, label }) {
    return this.pickers.map(({ id, label: text, hint }) => {
      const on = this.picking === `${id} ${name}`;
      const press = () => this.#pick(id, name);
      return html`<button type="button" aria-pressed=${on} title=${hint ?? ""} aria-label="${text}: ${label}" @click=${press}>${text}</button>`;
    });
  }

  /**
   * @param {string} picker
   * @param {string} name
   */
  async #pick(picker, name) {
    this.picking = `${picker} ${name}`;
    try {
      const found = await this.onPick(picker, name);
      if (found !== undefined) this.#set(name, found);
    } catch (error) {
      this.#draft(name, "", error);
      this.touched = new Set([...this.touched, name]);
    } finally {
      if (this.picking === `${picker} ${name}`) this.picking = "";
    }
  }

  /** The text of a field: what was typed, as long as it parses to the value. @param {Field} field */
  #text(field) {
    const draft = this.drafts.get(field.name);
    if (draft) return draft.text;
    const typed = this.typed.get(field.name);
    const value = this.value[field.name];
    return typed && typed.value === JSON.stringify(value) ? typed.text : textOf(field, value);
  }

  /**
   * @param {Field} field
   * @param {string} text
   */
  #typed(field, text) {
    try {
      const value = valueOf(field, text);
      this.typed.set(field.name, { text, value: JSON.stringify(value) });
      this.#set(field.name, value);
    } catch (error) {
      this.#draft(field.name, text, error);
      this.#changed();
    }
  }

  /**
   * @param {string} name
   * @param {string} text
   * @param {unknown} error
   */
  #draft(name, text, error) {
    this.drafts.set(name, { text, message: /** @type {Error} */ (error).message, before: this.#written(name) });
  }

  /** A field's value, to compare: whoever shows the form may give it the same again, in another object. @param {string} name */
  #written(name) {
    return JSON.stringify(this.value[name]);
  }

  /**
   * @param {string} name
   * @param {unknown} value undefined leaves it out
   */
  #set(name, value) {
    this.drafts.delete(name);
    const { [name]: _before, ...rest } = this.value;
    this.value = value === undefined ? rest : { ...rest, [name]: value };
    this.#changed();
  }

  #changed() {
    this.requestUpdate();
    this.onChange(this.value, this.problems());
  }

  /** @param {Event} event */
  #submitted(event) {
    event.preventDefault();
    this.submit();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.submit();
  }
}

/** @param {Problem} problem */
function problemText({ path, message }) {
  const inside = path.slice(1).join(".");
  return inside ? `${inside}: ${message}` : message;
}

/** Set text between backticks as code. @param {string} text */
function withCode(text) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? html`<code>${part}</code>` : part));
}

customElements.define("k-form", Form);
