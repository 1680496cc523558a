// The widget itself: whether the tab is recorded, Stop and Save, and what has been recorded.

import { recordingSummary } from "../../../extension/ui/scenarios/model/recorded_steps.js";
import { button, icon, make, onPerson, recorded } from "./elements.js";
import { moveOfKey, moved } from "./place.js";
import { SaveForm } from "./save_form.js";
import { StepList } from "./steps.js";

/** @typedef {import("./place.js").Shape} Shape */
/** @typedef {import("../../../extension/ui/scenarios/model/recording.js").RecordedStep} RecordedStep */

/**
 * The state from the hub. `saved`: the scenario just saved, in words. `busy`: an answer is waited for.
 * `problem`: why the last thing that was asked for was not done.
 * @typedef {{
 *   going: boolean, steps: RecordedStep[], leftOut: number, saved: string | null, busy: boolean, shape: Shape,
 *   problem: import("../../../extension/ui/scenarios/model/library.js").Problem | null,
 * }} Shown
 */
/** A message of the person. @typedef {{ command: string, params: Record<string, unknown> } | { shape: Shape } | { cancel: true } | { close: true }} Message */

export class WidgetView {
  #status = make("span", { class: "status", role: "status" });

  #record = make("button", { type: "button" });

  #saveButton = button(() => this.#openForm(), { class: "primary" }, "Save…");

  #closeButton = button(() => this.send({ close: true }), { class: "icon", "aria-label": "Close the recorder", title: "Close" }, icon("cross"));

  #grip = button(() => {}, { class: "icon grip", "aria-label": "Move the recorder", title: "Drag it, or press the arrow keys" }, icon("grip"));

  #summary = make("span");

  #toggle = button(() => this.#setShape({ open: !this.#shape.open }), { class: "toggle", "aria-expanded": "false" }, make("span", { class: "arrow", "aria-hidden": "true" }), this.#summary);

  #latest = recorded("p", { class: "latest quiet cut" }, "");

  #problem = make("p", { class: "problem", role: "alert", hidden: true });

  #list = new StepList((command, params) => this.#ask(command, params));

  #form = new SaveForm((command, params) => this.#ask(command, params), () => this.#closeForm());

  /** @type {Shape} */
  #shape = { right: 0, side: "bottom", offset: 0, open: false };

  /** @type {Shown | undefined} */
  #shown;

  /** Whether the recording is being saved, as far as this document knows. */
  #saving = false;

  /** @param {(message: Message) => void} send */
  constructor(send) {
    this.send = send;
    const bar = make("div", { class: "bar" }, this.#grip, this.#status, this.#record, this.#saveButton, this.#closeButton);
    this.element = make(
      "section",
      { class: "widget", "aria-label": "Kapture recorder", popover: "manual" },
      bar,
      this.#toggle,
      this.#latest,
      this.#list.element,
      this.#form.element,
      this.#problem,
    );
    onPerson(this.#record, "click", ({ detail }) => {
      // The second click of a double click on Stop must not start anew.
      if (detail < 2) this.#ask(this.#shown?.going ? "record_stop" : "record_start", {});
    });
    this.#dragBy(bar);
    // The page's own field keeps the focus while a button is pressed.
    onPerson(this.element, "mousedown", (event) => {
      if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
    });
  }

  /** @param {Shown} shown */
  show(shown) {
    if (!this.#shown) this.#shape = shown.shape; // later ones are the person's, who may be moving it
    this.#shown = shown;
    this.#saving &&= shown.busy;
    if (shown.saved !== null || shown.steps.length === 0) this.#form.element.hidden = true;
    this.#list.show(shown.steps);
    this.#form.show(shown.steps, shown.problem, shown.busy);
    this.#draw();
  }

  /** Handle a key. Returns whether it had an effect. @param {KeyboardEvent} event */
  onKey(event) {
    if (event.isComposing) return false;
    const active = /** @type {ShadowRoot} */ (this.element.getRootNode()).activeElement;
    if (active === this.#grip) return this.#moveBy(moveOfKey(event));
    if (this.#list.onKey(event)) return true;
    if (event.key === "Escape" && !this.#form.element.hidden && this.#form.element.contains(active)) {
      this.#closeForm();
      return true;
    }
    if (event.key !== "Enter" || !this.#form.isField(active)) return false;
    this.#form.submit();
    return true;
  }

  #draw() {
    const shown = /** @type {Shown} */ (this.#shown);
    const { going, saved, steps, problem } = shown;
    const { open, side, right, offset } = this.#shape;
    const latest = steps.at(-1);
    const [name, counts = ""] = saved?.split(": ") ?? [];
    const unused = !going && saved === null && steps.length === 0;
    const words = going ? "Recording" : unused ? "Not recording" : saved === null ? "Stopped" : `Saved as ${name}`;
    if (this.#status.textContent !== words) this.#status.replaceChildren(...(going ? [make("span", { class: "dot", "aria-hidden": "true" })] : []), words);
    this.#record.textContent = going ? "Stop" : unused ? "Record" : "Record again";
    this.#saveButton.hidden = !this.#form.element.hidden || saved !== null || steps.length === 0;
    this.#closeButton.hidden = going;
    this.#summary.textContent = recordingSummary(shown);
    this.#toggle.hidden = saved !== null || steps.length === 0;
    this.#toggle.setAttribute("aria-expanded", String(open));
    this.#latest.dataset.text = saved !== null ? counts : steps.length === 0 ? recordingSummary(shown) : (latest?.title ?? "");
    this.#latest.classList.toggle("cut", saved === null);
    this.#latest.hidden = saved !== null ? counts === "" : open && steps.length > 0;
    this.#list.element.hidden = !open || saved !== null || steps.length === 0;
    this.#problem.hidden = problem === null;
    this.#problem.textContent = problem === null ? "" : [problem.message, problem.hint].filter(Boolean).join(" ");
    this.element.dataset.side = side;
    this.element.style.setProperty("--right", `${right}px`);
    this.element.style.setProperty("--offset", `${offset}px`);
  }

  /**
   * @param {string} command
   * @param {Record<string, unknown>} params
   */
  #ask(command, params) {
    if (command === "record_save") {
      if (this.#saving) return;
      this.#saving = true;
    }
    this.send({ command, params });
  }

  #openForm() {
    this.#form.open();
    this.#draw();
  }

  #closeForm() {
    this.#form.element.hidden = true;
    this.send({ cancel: true });
    this.#draw();
    this.#saveButton.focus();
  }

  /** @param {Partial<Shape>} changes */
  #setShape(changes) {
    this.#shape = { ...this.#shape, ...changes };
    this.#draw();
    this.send({ shape: this.#shape });
  }

  /** @param {{ dx: number, dy: number } | undefined} by */
  #moveBy(by) {
    if (by) this.#setShape(moved(this.#shape, this.element.getBoundingClientRect(), by, this.#viewport()));
    return by !== undefined;
  }

  /** The viewport for its position: the window without scroll bars. */
  #viewport() {
    const { right, bottom } = this.element.getBoundingClientRect();
    const style = getComputedStyle(this.element);
    return { width: right + parseFloat(style.right), height: bottom + parseFloat(style.bottom) };
  }

  /** @param {HTMLElement} bar */
  #dragBy(bar) {
    /** @type {{ x: number, y: number, box: DOMRect, viewport: { width: number, height: number } } | undefined} */
    let start;
    onPerson(bar, "pointerdown", (event) => {
      const pressed = /** @type {Element} */ (event.target).closest("button");
      if (event.button !== 0 || (pressed && pressed !== this.#grip)) return;
      start = { x: event.clientX, y: event.clientY, box: this.element.getBoundingClientRect(), viewport: this.#viewport() };
      bar.setPointerCapture(event.pointerId);
    });
    onPerson(bar, "pointermove", (event) => {
      if (!start) return;
      this.#shape = moved(this.#shape, start.box, { dx: event.clientX - start.x, dy: event.clientY - start.y }, start.viewport);
      this.#draw();
    });
    onPerson(bar, "lostpointercapture", () => {
      if (!start) return;
      start = undefined;
      this.send({ shape: this.#shape });
    });
  }
}
