/**
 * Steps that wait for the person's yes or no.
 */

import { siteOf } from "../worker/sites.js";
import { el } from "./dom.js";

/** Buttons come alive after this long, so that a click meant for something else decides nothing. */
const GUARD_MS = 600;
const SHOWN = 3;

export class Questions {
  /** @param {(id: string, decision: "once" | "tab" | "deny") => void} onDecide */
  constructor(onDecide) {
    this.onDecide = onDecide;
    this.element = el("div", { className: "questions stack", role: "region", "aria-label": "Waiting for your answer", "aria-live": "polite" });
    this.more = el("p", { className: "small quiet", hidden: true });
    /** @type {Map<string, {element: HTMLElement, count: HTMLElement}>} */
    this.shown = new Map();
    this.element.append(this.more);
  }

  /** @param {import("../worker/approvals.js").Question[]} questions */
  show(questions) {
    const visible = questions.slice(0, SHOWN);
    const ids = new Set(visible.map(({ id }) => id));
    for (const [id, { element }] of this.shown) {
      if (ids.has(id)) continue;
      element.remove();
      this.shown.delete(id);
    }
    for (const question of visible) {
      if (!this.shown.has(question.id)) this.#add(question);
      const { count } = /** @type {{count: HTMLElement}} */ (this.shown.get(question.id));
      count.hidden = question.count < 2;
      count.textContent = `${question.count} steps wait for this answer.`;
    }
    this.more.hidden = questions.length <= SHOWN;
    this.more.textContent = `${questions.length - SHOWN} more after these.`;
  }

  /** @param {import("../worker/approvals.js").Question} question */
  #add({ id, title, detail, client, command, url }) {
    const site = siteOf(url);
    const facts = [client && `Asked by ${client}`, command, site].filter(Boolean).join(" · ");
    const choices = /** @type {const} */ ([
      ["once", "Allow once"],
      ["tab", "Allow for this tab"],
      ["deny", "Deny"],
    ]);
    const buttons = choices.map(([decision, text]) =>
      el("button", {
        type: "button",
        textContent: text,
        disabled: decision !== "deny",
        className: decision === "deny" ? "danger" : "",
        onclick: () => this.onDecide(id, decision),
      }),
    );
    const count = el("p", { className: "small" });
    const element = el(
      "section",
      { className: "question" },
      el("h2", {}, title),
      el("p", {}, detail),
      el("p", { className: "small quiet" }, facts),
      count,
      el("div", { className: "row" }, ...buttons),
    );
    setTimeout(() => buttons.forEach((button) => (button.disabled = false)), GUARD_MS);
    this.shown.set(id, { element, count });
    this.element.insertBefore(element, this.more);
  }
}
