/**
 * The view of one tab that popup and panel share: status, page, Connect switch, access, questions, facts.
 */

import { duration, el, setText } from "./dom.js";
import { GrantForm } from "./grant_form.js";
import { Questions } from "./questions.js";
import { openPort } from "./worker_port.js";

/** @type {Record<string, [string, string]>} */
const STATUS = {
  off: ["Not connected", "off"],
  stopped: ["Not connected", "off"],
  connecting: ["Connecting…", "warn"],
  outside: ["Outside the grant", "off"],
  ready: ["Connected", "good"],
  waiting: ["Reconnecting…", "bad"],
  paused: ["Paused", "warn"],
};

export class TabView {
  /**
   * @param {number} chromeTabId
   * @param {(view: any) => void} [onView] called after each change
   */
  constructor(chromeTabId, onView) {
    this.onView = onView;
    /** @type {any} */
    this.view = null;
    this.pill = el("span", { className: "pill", role: "status", "aria-live": "polite", "data-tone": "off" }, "…");
    this.switch = el("button", { type: "button", className: "primary", disabled: true }, "Connect");
    this.title = el("p", { className: "title cut" });
    this.url = el("p", { className: "small quiet mono cut" });
    this.reasonText = el("strong");
    this.hint = el("p", { className: "small" });
    this.options = el("button", { type: "button", className: "plain small" }, "Open options");
    this.reason = el("div", { className: "notice bad", role: "alert", hidden: true }, this.reasonText, this.hint, this.options);
    this.form = new GrantForm(() => this.#formChanged());
    this.apply = el("button", { type: "button", className: "primary", hidden: true }, "Apply");
    this.form.element.append(this.apply);
    this.questions = new Questions((id, decision) => this.send({ do: "decide", id, decision }));
    this.facts = el("dl", { className: "facts small" });
    /** @type {Map<string, HTMLElement>} */
    this.fact = new Map();

    this.header = el("header", { className: "row spread" }, this.pill, this.switch);
    this.page = el("section", { className: "page", "aria-label": "The tab" }, this.title, this.url);

    this.switch.addEventListener("click", () => this.#toggle());
    this.apply.addEventListener("click", () => this.#grant());
    this.options.addEventListener("click", () => void chrome.runtime.openOptionsPage());
    this.send = openPort(chromeTabId, (message) => this.#take(message));
    setInterval(() => this.#time(), 1000);
  }

  /** @param {any} message */
  #take(message) {
    if (message.type === "problem") {
      this.#explain({ message: message.message, hint: "" });
      return;
    }
    this.view = message.view;
    this.#update();
    this.onView?.(this.view);
  }

  #update() {
    const { exists, url, title, site, remembered, connected, failure, tab } = this.view;
    const [status, tone] = STATUS[connected ? tab.state : "off"];
    setText(this.pill, status);
    this.pill.dataset.tone = failure ? "bad" : tone;
    setText(this.title, title || "Untitled");
    this.title.title = title;
    setText(this.url, url || "No address");
    this.url.title = url;
    this.switch.disabled = !exists;
    setText(this.switch, connected ? "Disconnect" : "Connect");
    this.switch.className = connected ? "" : "primary";
    this.#explain(connected ? tab.reason : (failure ?? tab?.reason ?? null));
    this.form.show(site, connected ? tab.grant : remembered, remembered !== null);
    this.apply.hidden = !(connected && this.form.touched);
    this.questions.show(tab?.questions ?? []);
    this.#facts();
  }

  /** @param {{message: string, hint: string} | null} reason */
  #explain(reason) {
    this.reason.hidden = reason === null;
    setText(this.reasonText, reason?.message ?? "");
    setText(this.hint, reason?.hint ?? "");
    this.options.hidden = !/pair/i.test(`${reason?.message} ${reason?.hint}`);
  }

  #facts() {
    const { tab, connected } = this.view;
    /** @type {[string, string][]} */
    const rows = !tab
      ? []
      : [
          ["Tab id", tab.tabId],
          ["Connected", connected && tab.since ? `for ${duration(Date.now() - tab.since)}` : ""],
          ["Messages", `${tab.received} in, ${tab.sent} out`],
          ["Hub", [tab.address, tab.hubVersion].filter(Boolean).join(" · ")],
        ];
    for (const [name, value] of rows) this.#fact(name, value);
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  #fact(name, value) {
    let cell = this.fact.get(name);
    if (!cell) {
      const text = el("span", { className: "mono cut" });
      const row = el("dd", { className: "row" }, text);
      if (name === "Tab id") row.append(this.#copyButton());
      this.facts.append(el("dt", {}, name), row);
      this.fact.set(name, (cell = text));
    }
    setText(cell, value || "–");
  }

  #copyButton() {
    const button = el("button", { type: "button", className: "plain small", "aria-label": "Copy the tab id" }, "Copy");
    button.addEventListener("click", () => {
      const done = copyText(this.view.tab.tabId);
      setText(button, done ? "Copied" : "Not copied");
      setTimeout(() => setText(button, "Copy"), 1500);
    });
    return button;
  }

  #time() {
    if (this.view?.tab?.since) this.#facts();
  }

  #formChanged() {
    if (this.view) this.apply.hidden = !this.view.connected;
  }

  #toggle() {
    if (this.view.connected) {
      this.send({ do: "disconnect" });
      return;
    }
    this.#sendGrant("connect");
  }

  #grant() {
    this.#sendGrant("grant");
  }

  /** @param {"connect" | "grant"} what */
  #sendGrant(what) {
    const chosen = this.form.read();
    if (!chosen) return;
    this.form.settle();
    this.send({ do: what, site: this.view.site, ...chosen });
  }
}

/**
 * The asynchronous clipboard is closed to DevTools panels; this way is open to both.
 * @param {string} text
 * @returns {boolean}
 */
function copyText(text) {
  const field = el("textarea", { value: text, "aria-hidden": "true" });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
