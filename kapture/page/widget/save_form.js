// What a recording is to be called, and whether its secrets are stored. No `<form>`: a page may be forbidden to send any.

import { SCENARIO_NAME, nameIsTaken } from "../../../extension/ui/scenarios/recorded_steps.js";
import { button, make } from "./elements.js";

/** @typedef {import("../../../extension/ui/scenarios/library.js").Problem} Problem */

export class SaveForm {
  #name = make("input", { required: true, pattern: SCENARIO_NAME, title: "Letters, digits, _ and -", placeholder: "sign_in", autocomplete: "off", spellcheck: "false" });

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
    this.ask("record_save", {
      name: this.#name.value,
      ...(this.#store.checked && !this.#storeLabel.hidden ? { store_secrets: true } : {}),
      ...(this.#replace.checked && !this.#replaceLabel.hidden ? { replace: true } : {}),
    });
  }

  /** Whether a key was pressed in here that is the form's: Enter in the name. @param {Element | null} active */
  isName(active) {
    return active === this.#name;
  }
}
