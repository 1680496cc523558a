// The recorded steps, as they come: each can be deleted, changed, or kept as a secret.

import { canBeSecret, isEditable, valueBeside } from "../../../extension/ui/scenarios/model/recorded_steps.js";
import { button, icon, make, recorded } from "./elements.js";

/** @typedef {import("../../../extension/ui/scenarios/model/recording.js").RecordedStep} RecordedStep */
/** @typedef {(command: string, params: Record<string, unknown>) => void} Ask */

export class StepList {
  element = make("ol", { class: "steps", "aria-label": "Recorded steps", hidden: true });

  /** The row of each step, by its id. @type {Map<string, { item: HTMLLIElement, number: HTMLElement, shown: string }>} */
  #rows = new Map();

  /** @type {readonly RecordedStep[]} */
  #steps = [];

  /** The step whose value is being changed. */
  #editing = "";

  /** @param {Ask} ask */
  constructor(ask) {
    this.ask = ask;
  }

  /** @param {readonly RecordedStep[]} steps */
  show(steps) {
    const grown = steps.length > this.#steps.length;
    this.#steps = steps;
    const ids = new Set(steps.map(({ id }) => id));
    for (const [id, { item }] of this.#rows) {
      if (ids.has(id)) continue;
      this.#focusBeside(item);
      item.remove();
      this.#rows.delete(id);
    }
    for (const [at, step] of steps.entries()) this.#showStep(at, step);
    if (grown) this.element.scrollTop = this.element.scrollHeight;
  }

  /** Handle a key in the list. Returns whether it had an effect. @param {KeyboardEvent} event */
  onKey({ key }) {
    const row = this.#rows.get(this.#editing);
    if (!row?.item.contains(activeIn(row.item)) || (key !== "Escape" && key !== "Enter")) return false;
    if (key === "Enter" && activeIn(row.item) instanceof HTMLButtonElement) return false;
    this.#endEditing(key === "Enter");
    return true;
  }

  /**
   * @param {number} at
   * @param {RecordedStep} step
   */
  #showStep(at, step) {
    const editing = this.#editing === step.id;
    const shown = editing ? "editing" : JSON.stringify(step);
    let row = this.#rows.get(step.id);
    if (!row) {
      row = { item: make("li"), number: make("span", { class: "count" }), shown: "" };
      this.#rows.set(step.id, row);
    }
    row.number.textContent = String(at + 1);
    if (row.shown !== shown) {
      row.shown = shown;
      row.item.replaceChildren(row.number, ...(editing ? this.#editor(step) : this.#words(step)));
    }
    if (this.element.children[at] !== row.item) this.element.insertBefore(row.item, this.element.children[at] ?? null);
  }

  /** @param {RecordedStep} step */
  #words(step) {
    const { id, title, secret } = step;
    const value = valueBeside(step);
    const words = make("span", { class: "words" });
    if (secret) {
      words.append(make("span", { class: "lock", role: "img", "aria-label": "Secret", title: `Kept as the secret ${secret}; its value is shown nowhere` }, icon("lock")));
    }
    words.append(recorded("span", {}, title));
    if (value !== undefined) words.append(" ", recorded("span", { class: "quiet" }, value));
    if (secret) words.append(" ", recorded("code", {}, `{{${secret}}}`));
    const tools = make("span", { class: "tools" });
    if (canBeSecret(step)) {
      const keep = () => this.ask("record_edit", { step: id, secret: true });
      tools.append(button(keep, { class: "icon", "aria-label": `Keep as a secret: ${title}`, title: "Keep what is typed as a secret" }, icon("openLock")));
    }
    if (isEditable(step)) tools.append(button(() => this.#edit(id), { class: "icon", "aria-label": `Edit: ${title}`, title: "Edit" }, icon("pencil")));
    const remove = () => this.ask("record_edit", { step: id, delete: true });
    tools.append(button(remove, { class: "icon delete", "aria-label": `Delete: ${title}`, title: "Delete" }, icon("cross")));
    return [words, tools];
  }

  /** @param {RecordedStep} step */
  #editor({ title, value }) {
    const field = make("input", { "aria-label": `Value of ${title}`, autocomplete: "off", spellcheck: "false" });
    field.value = value ?? "";
    return [make("span", { class: "edit" }, field, button(() => this.#endEditing(true), { class: "primary" }, "Set"))];
  }

  /** @param {string} id */
  #edit(id) {
    this.#editing = id;
    this.show(this.#steps);
    const field = this.#rows.get(id)?.item.querySelector("input");
    field?.focus();
    field?.select();
  }

  /** @param {boolean} set */
  #endEditing(set) {
    const id = this.#editing;
    const item = this.#rows.get(id)?.item;
    const field = item?.querySelector("input");
    this.#editing = "";
    if (set && field) this.ask("record_edit", { step: id, value: field.value });
    this.show(this.#steps);
    /** @type {HTMLElement | null | undefined} */ (item?.querySelector(".delete"))?.focus();
  }

  /** The focus does not leave with a step that goes. @param {Element} item */
  #focusBeside(item) {
    if (!activeIn(item)) return;
    const beside = item.nextElementSibling ?? item.previousElementSibling;
    /** @type {HTMLElement | null | undefined} */ (beside?.querySelector(".delete"))?.focus();
  }
}

/** The element in here that has the focus. @param {Element} element */
function activeIn(element) {
  const { activeElement } = /** @type {ShadowRoot | Document} */ (element.getRootNode());
  return activeElement && element.contains(activeElement) ? activeElement : null;
}
