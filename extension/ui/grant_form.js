/**
 * What a person allows on a tab: sites × level, with what it means in plain words.
 */

import { parseSite } from "../worker/sites.js";
import { el, setText } from "./dom.js";

/** @typedef {import("../worker/access.js").Grant} Grant */
/** @typedef {import("../worker/rules.js").Level} Level */

/** @type {[Level, string, string][]} */
const LEVELS = [
  ["read", "Read", "See the page, its console and its network traffic, but change nothing."],
  ["interact", "Interact", "Also click, type, fill in forms, navigate and download, like a person at the keyboard."],
  ["full", "Full", "Also run any code in the page, and read and change its cookies and storage."],
];

export class GrantForm {
  /** @param {() => void} onEdit the person changed something */
  constructor(onEdit) {
    this.onEdit = onEdit;
    /** @type {string | null} */
    this.site = null;
    this.touched = false;

    const sites = [
      ["own", "This site"],
      ["any", "Any site this tab shows"],
      ["list", "These sites:"],
    ];
    /** @type {Record<string, HTMLInputElement>} */
    this.choice = {};
    this.own = el("span");
    this.list = el("input", {
      type: "text",
      placeholder: "example.com, 127.0.0.1:8000",
      spellcheck: false,
      "aria-label": "Sites, separated by commas",
    });
    const rows = sites.map(([value, text]) => {
      const input = el("input", { type: "radio", name: "sites", value });
      this.choice[value] = input;
      return el("label", {}, input, value === "own" ? this.own : el("span", {}, text));
    });
    rows[2].append(this.list);

    /** @type {Record<string, HTMLInputElement>} */
    this.level = {};
    const levels = LEVELS.map(([value, text]) => {
      const input = el("input", { type: "radio", name: "level", value });
      this.level[value] = input;
      return el("label", {}, input, text);
    });
    this.meaning = el("p", { className: "small quiet", id: "level-meaning" });
    this.remember = el("input", { type: "checkbox" });
    this.rememberRow = el("label", { className: "row small" }, this.remember, el("span", {}, "Remember for this site"));
    this.problem = el("p", { className: "small notice bad", role: "alert", hidden: true });

    this.element = el(
      "div",
      { className: "access" },
      el("fieldset", {}, el("legend", {}, "Sites"), el("div", { className: "choices" }, ...rows)),
      el(
        "fieldset",
        { "aria-describedby": "level-meaning" },
        el("legend", {}, "Access"),
        el("div", { className: "levels" }, ...levels),
        this.meaning,
      ),
      this.rememberRow,
      this.problem,
    );
    this.element.addEventListener("input", () => this.#edited());
    this.list.addEventListener("focus", () => {
      if (this.choice.list.checked) return;
      this.choice.list.checked = true;
      this.#edited();
    });
  }

  /**
   * Show a grant, unless the person is in the middle of editing.
   * @param {string | null} site the tab's site now
   * @param {Grant | null} grant null: the default for this site
   * @param {boolean} remembered
   */
  show(site, grant, remembered) {
    this.site = site;
    setText(this.own, site ? `${site}${/[:/]|^\d/.test(site) ? "" : " and its subdomains"}` : "This site (the tab has not opened one yet)");
    this.choice.own.disabled = site === null;
    this.rememberRow.hidden = site === null;
    if (this.touched) return;
    const shown = grant ?? { sites: [site ?? "*"], level: /** @type {Level} */ ("interact") };
    const kind = shown.sites.includes("*") ? "any" : shown.sites.length === 1 && shown.sites[0] === site ? "own" : "list";
    this.choice[kind].checked = true;
    if (this.list !== document.activeElement) this.list.value = kind === "list" ? shown.sites.join(", ") : "";
    this.level[shown.level].checked = true;
    this.remember.checked = remembered;
    this.#explain();
  }

  /**
   * What is chosen; null, with the reason shown, when the sites typed are none.
   * @returns {{grant: Grant, remember: boolean} | null}
   */
  read() {
    const level = LEVELS.map(([value]) => value).find((value) => this.level[value].checked) ?? "interact";
    const sites = this.choice.any.checked ? ["*"] : this.choice.own.checked ? [this.site ?? "*"] : this.#listed();
    if (sites === null) return null;
    this.problem.hidden = true;
    return { grant: { sites, level }, remember: this.remember.checked };
  }

  /** The edit was taken or given up. */
  settle() {
    this.touched = false;
  }

  #listed() {
    const typed = this.list.value.split(/[\s,]+/).filter(Boolean);
    const wrong = typed.find((text) => parseSite(text) === null);
    if (typed.length === 0 || wrong !== undefined) {
      this.problem.hidden = false;
      setText(this.problem, wrong === undefined ? "Enter at least one site." : `“${wrong}” is not a valid site. Write it like example.com.`);
      return null;
    }
    return [...new Set(typed.map((text) => /** @type {string} */ (parseSite(text))))];
  }

  #edited() {
    this.touched = true;
    this.problem.hidden = true;
    this.#explain();
    this.onEdit();
  }

  #explain() {
    const chosen = LEVELS.find(([value]) => this.level[value].checked);
    setText(this.meaning, chosen?.[2] ?? "");
  }
}
