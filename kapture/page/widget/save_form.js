// The form that saves a recording: its name, tags and parameters, and whether its secrets are stored. No `<form>`:
// a page may be forbidden to send any.

import { SCENARIO_NAME, VARIABLE, canBeSecret as becomesParameter, nameIsTaken, secretsIn, tagsIn, typedText } from "../../../extension/ui/scenarios/model/recorded_steps.js";
import { button, make, recorded } from "./elements.js";

/** @typedef {import("../../../extension/ui/scenarios/model/library.js").Problem} Problem */
/** @typedef {import("../../../extension/ui/scenarios/model/recording.js").RecordedStep} RecordedStep */

export class SaveForm {
  #name = make("input", { required: true, pattern: SCENARIO_NAME, title: "Letters, digits, _ and -", placeholder: "sign_in", autocomplete: "off", spellcheck: "false" });

  #title = make("input", { maxlength: "200", placeholder: "For people", autocomplete: "off" });

  #description = make("input", { maxlength: "2000", autocomplete: "off" });

  #tags = make("input", { maxlength: "500", placeholder: "shop, sign-in", autocomplete: "off" });

  /** Where a name makes a recorded text a parameter, by the step's id. @type {Map<string, ReturnType<typeof parameterRow>>} */
  #parameters = new Map();

  #parameterRows = make("div", { class: "rows" });

  #parameterGroup = make("div", { class: "rows", role: "group", "aria-label": "Parameters", hidden: true }, make("p", { class: "quiet" }, "Name the texts that differ between runs:"), this.#parameterRows);

  #store = make("input", { type: "checkbox" });

  #storeWords = make("span");

  #storeLabel = make("label", { class: "check", hidden: true }, this.#store, this.#storeWords);

  #replace = make("input", { type: "checkbox" });

  #replaceLabel = make("label", { class: "check", hidden: true }, this.#replace, make("span", {}, "Replace the scenario of this name"));

  #submit = button(() => this.submit(), { class: "primary" }, "Save scenario");

  /**
   * @param {import("./steps.js").Ask} ask
   * @param {() => void} cancel
   */
  constructor(ask, cancel) {
    this.ask = ask;
    this.element = make(
      "div",
      { class: "form", role: "group", "aria-label": "Save the recording", hidden: true },
      make("label", { class: "field" }, make("span", {}, "Name"), this.#name),
      make("label", { class: "field" }, make("span", {}, "Title"), this.#title),
      make("label", { class: "field" }, make("span", {}, "Description"), this.#description),
      make("label", { class: "field" }, make("span", {}, "Tags"), this.#tags),
      this.#parameterGroup,
      this.#storeLabel,
      this.#replaceLabel,
      make("div", { class: "row" }, this.#submit, button(cancel, {}, "Cancel")),
    );
  }

  open() {
    this.#store.checked = this.#replace.checked = false;
    this.element.hidden = false;
    this.#name.focus();
  }

  /**
   * @param {readonly RecordedStep[]} steps
   * @param {Problem | null} problem
   * @param {boolean} busy
   */
  show(steps, problem, busy) {
    const secrets = secretsIn(steps);
    const rows = steps.filter(becomesParameter).map((step) => {
      const shown = this.#parameters.get(step.id) ?? parameterRow(step);
      shown.typed.dataset.text = shown.typed.title = typedText(step); // which may have been edited
      return /** @type {const} */ ([step.id, shown]);
    });
    const gone = [...this.#parameters].filter(([id]) => !steps.some((step) => step.id === id && becomesParameter(step)));
    for (const [, { row }] of gone) row.remove();
    this.#parameters = new Map(rows);
    for (const [, { row }] of rows) if (!row.isConnected) this.#parameterRows.append(row); // steps keep their order
    this.#parameterGroup.hidden = rows.length === 0;
    this.#storeLabel.hidden = secrets.length === 0;
    this.#storeWords.textContent = `Store ${secrets.join(", ")} on this computer, encrypted; otherwise each run asks`;
    this.#replaceLabel.hidden = !nameIsTaken(problem);
    this.#submit.textContent = busy ? "Saving…" : "Save scenario";
  }

  submit() {
    this.#name.value = this.#name.value.trim();
    const named = [...this.#parameters].filter(([, { name }]) => (name.value = name.value.trim()));
    if (![this.#name, ...named.map(([, { name }]) => name)].every((field) => field.reportValidity())) return;
    const tags = tagsIn(this.#tags.value);
    const parameters = Object.fromEntries(named.map(([id, { name }]) => [id, name.value]));
    const [title, description] = [this.#title.value.trim(), this.#description.value.trim()];
    this.ask("record_save", {
      name: this.#name.value,
      ...(title ? { title } : {}),
      ...(description ? { description } : {}),
      ...(tags.length ? { tags } : {}),
      ...(named.length ? { parameters } : {}),
      ...(this.#store.checked && !this.#storeLabel.hidden ? { store_secrets: true } : {}),
      ...(this.#replace.checked && !this.#replaceLabel.hidden ? { replace: true } : {}),
    });
  }

  /** Whether Enter in this element saves. @param {Element | null} active */
  isField(active) {
    return active instanceof HTMLInputElement && active.type !== "checkbox" && this.element.contains(active);
  }
}

/** @param {RecordedStep} step */
function parameterRow({ title }) {
  const typed = recorded("span", { class: "cut" }, "");
  const name = make("input", { pattern: VARIABLE, title: "Letters, digits and _", placeholder: "parameter", autocomplete: "off", spellcheck: "false", "aria-label": `Parameter: ${title}` });
  return { row: make("label", { class: "field halves" }, typed, name), typed, name };
}
