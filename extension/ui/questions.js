/**
 * Steps that wait for the person's yes or no.
 *
 * A click or key that was meant for something else must decide nothing: the buttons come alive some time after the
 * question has appeared and nobody has typed, none of them is focused by itself, and a key presses only the button
 * that was focused on purpose.
 */

import { siteOf } from "../worker/sites.js";
import { el } from "./dom.js";

/** For so long a question is there, with no key pressed, before it can be answered. */
const GUARD_MS = 600;
const SHOWN = 3;

/** @typedef {{element: HTMLElement, count: HTMLElement, buttons: HTMLButtonElement[], timer: ReturnType<typeof setTimeout> | undefined}} Shown */

/** @type {Record<import("../worker/rules.js").Level, string>} */
const LEVELS = { read: "Read", interact: "Interact", full: "Full" };

export class Questions {
  /** @param {(id: string, decision: "once" | "tab" | "deny") => void} onDecide */
  constructor(onDecide) {
    this.onDecide = onDecide;
    this.element = el("div", {
      className: "questions stack",
      role: "region",
      "aria-label": "Waiting for your answer",
      "aria-live": "polite",
    });
    this.more = el("p", { className: "small quiet", hidden: true });
    /** @type {Map<string, Shown>} */
    this.shown = new Map();
    /** @type {Set<HTMLButtonElement>} focused while they were alive: by Tab, or by a press of the pointer */
    this.focused = new Set();
    this.element.append(this.more);
    document.addEventListener("keydown", (event) => this.#typed(event), true);
    document.addEventListener("visibilitychange", () => this.#guardAll());
  }

  /** @param {import("../worker/approvals.js").Question[]} questions */
  show(questions) {
    const visible = questions.slice(0, SHOWN);
    const ids = new Set(visible.map(({ id }) => id));
    for (const [id, { element, timer }] of this.shown) {
      if (ids.has(id)) continue;
      clearTimeout(timer);
      element.remove();
      this.shown.delete(id);
      this.#guardAll(); // the others move to where this one was
    }
    for (const question of visible) {
      const { count } = this.shown.get(question.id) ?? this.#add(question);
      count.hidden = question.count < 2;
      count.textContent = `${question.count} steps are waiting for this answer.`;
    }
    this.more.hidden = questions.length <= SHOWN;
    this.more.textContent = `${questions.length - SHOWN} more after these.`;
  }

  /**
   * @param {import("../worker/approvals.js").Question} question
   * @returns {Shown}
   */
  #add({ id, title, detail, client, command, url, level, site }) {
    const facts = [client && `Asked by ${client}`, command, siteOf(url)].filter(Boolean).join(" · ");
    // Deny comes first for the keyboard: it is the answer that does no harm.
    const choices = /** @type {const} */ ([
      ["deny", "Deny"],
      ["once", "Allow once"],
      ["tab", "Allow for this tab"],
    ]);
    const buttons = choices.map(([decision, text]) => this.#button(text, decision, () => this.onDecide(id, decision)));
    const count = el("p", { className: "small" });
    const element = el(
      "section",
      { className: "question" },
      el("h2", {}, title),
      el("p", {}, detail),
      el("p", { className: "adds" }, addition(level, site)),
      el("p", { className: "small quiet" }, facts),
      count,
      el("div", { className: "row" }, ...buttons),
    );
    /** @type {Shown} */
    const shown = { element, count, buttons, timer: undefined };
    this.shown.set(id, shown);
    this.element.insertBefore(element, this.more);
    this.#guard(shown);
    return shown;
  }

  /**
   * @param {string} text
   * @param {string} decision
   * @param {() => void} decide
   */
  #button(text, decision, decide) {
    const button = el("button", { type: "button", textContent: text, disabled: true, className: decision === "deny" ? "danger" : "" });
    button.addEventListener("focus", () => this.focused.add(button));
    button.addEventListener("blur", () => this.focused.delete(button));
    button.addEventListener("click", ({ detail: presses }) => {
      const byKey = presses === 0;
      if (!byKey || this.focused.has(button)) decide();
    });
    return button;
  }

  /** @param {KeyboardEvent} event */
  #typed(event) {
    const button = /** @type {HTMLButtonElement} */ (event.target);
    // A key that is held down was pressed for what had the focus before.
    if (event.repeat && this.element.contains(button)) event.preventDefault();
    if (!this.focused.has(button)) for (const shown of this.shown.values()) if (shown.timer !== undefined) this.#guard(shown);
  }

  #guardAll() {
    for (const shown of this.shown.values()) this.#guard(shown);
  }

  /** Keep a question from being answered for a while. @param {Shown} shown */
  #guard(shown) {
    clearTimeout(shown.timer);
    for (const button of shown.buttons) {
      button.disabled = true;
      this.focused.delete(button);
    }
    shown.timer = setTimeout(() => {
      shown.timer = undefined;
      for (const button of shown.buttons) button.disabled = false;
    }, GUARD_MS);
  }
}

/**
 * What a yes adds to the grant. Title and detail are the hub's words; these are the extension's own, by what it will do.
 * @param {import("../worker/rules.js").Level | null} level
 * @param {string | null} site
 */
function addition(level, site) {
  const parts = [level && `the access level ${LEVELS[level]}`, site && (site === "*" ? "any site" : `the site ${site}`)];
  return `Allowing this adds ${parts.filter(Boolean).join(" and ") || "nothing"} to what this tab is connected for.`;
}
