// What a recording is to be called, and whether its secrets are stored. No `<form>`: a page may be forbidden to send any.

import { SCENARIO_NAME, nameIsTaken } from "../../../extension/ui/scenarios/model/recorded_steps.js";
import { button, make } from "./elements.js";

/** @typedef {import("../../../extension/ui/scenarios/model/library.js").Problem} Problem */

export class SaveForm {
  #name = make("input", { required: true, pattern: SCENARIO_NAME, title: "Letters, digits, _ and -", placeholder: "sign_in", autocomplete: "off", spellcheck: "false" });

  #title = make("input", { maxlength: "200", placeholder: "For people", autocomplete: "off" });

  #description = make("input", { maxlength: "2000", autocomplete: "off" });

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
   * @param {readonly string[]} secrets names of those that were recorded
   * @param {Problem | null} problem
   * @param {boolean} busy
   */
  show(secrets, problem, busy) {
    this.#storeLabel.hidden = secrets.length === 0;
    this.#storeWords.textContent = `Store ${secrets.join(", ")} on this computer, encrypted; otherwise each run asks`;
    this.#replaceLabel.hidden = !nameIsTaken(problem);
    this.#submit.textContent = busy ? "Saving…" : "Save scenario";
  }

  submit() {
    this.#name.value = this.#name.value.trim();
    if (!this.#name.reportValidity()) return;
    const [title, description] = [this.#title.value.trim(), this.#description.value.trim()];
    this.ask("record_save", {
      name: this.#name.value,
      ...(title ? { title } : {}),
      ...(description ? { description } : {}),
      ...(this.#store.checked && !this.#storeLabel.hidden ? { store_secrets: true } : {}),
      ...(this.#replace.checked && !this.#replaceLabel.hidden ? { replace: true } : {}),
    });
  }

  /** Whether Enter in this element saves. @param {Element | null} active */
  isField(active) {
    return active === this.#name || active === this.#title || active === this.#description;
  }
}
