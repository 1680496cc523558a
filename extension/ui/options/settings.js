/**
 * `<k-settings>`: what a new connection is offered for, and how Kapture shows itself. Each change is kept at once.
 */

import { LEVELS } from "../components/access_levels.js";
import { controls, shared } from "../components/styles.js";
import { section } from "./styles.js";
import { LitElement, html } from "../vendor/lit.js";
import { DEFAULTS, change, settings } from "../../worker/settings.js";

/** @typedef {import("../../worker/settings.js").Settings} Settings */
/** @typedef {{name: keyof Settings, label: string, help: string, choices?: [string, string][], range?: [number, number], longest?: number}} Field */

/** @type {Field[]} */
const OFFERED = [
  {
    name: "defaultSites",
    label: "Sites",
    help: "What Connect offers for a site that is not remembered.",
    choices: [
      ["site", "The site that the tab shows"],
      ["any", "Any site"],
    ],
  },
  { name: "defaultLevel", label: "Access", help: "", choices: LEVELS.map(([value, text]) => [value, text]) },
  {
    name: "automatic",
    label: "Standing grants",
    help: "When they connect a tab that shows their sites.",
    choices: [
      ["always", "Whenever a client is there"],
      ["asked", "When a client asks for a tab"],
    ],
  },
];
/** @type {Field[]} */
const SHOWN = [
  { name: "profileName", label: "Name of this browser", help: "Such as Work: agents that are bound to a name use only the browser that has it.", longest: 40 },
  {
    name: "theme",
    label: "Theme",
    help: "The panel follows DevTools.",
    choices: [
      ["system", "Same as the system"],
      ["light", "Light"],
      ["dark", "Dark"],
    ],
  },
  { name: "shows", label: "Show who acts", help: "While an agent acts on a page, the page has a frame, the agent's name and Stop." },
  { name: "notifications", label: "Notifications", help: "When an agent asks for a tab while you are elsewhere. The question itself always opens a window." },
  { name: "history", label: "Activity", help: "How many past commands this browser keeps.", range: [0, 10_000] },
  {
    name: "silence",
    label: "Heartbeat",
    help: "How long the hub may be silent before a tab reconnects.",
    choices: [
      ["0", "Set by the hub (25 s)"],
      ["60", "60 s"],
      ["120", "120 s"],
    ],
  },
];

export class SettingOptions extends LitElement {
  static properties = { settings: { state: true } };
  static styles = [shared, controls, section];

  constructor() {
    super();
    /** @type {Settings} */
    this.settings = DEFAULTS;
    /** @type {Promise<void>} */
    this.done = this.#read();
  }

  render() {
    return html`<h2>What Connect offers</h2>
      ${OFFERED.map((field) => this.#field(field))}
      <h2>Appearance and behaviour</h2>
      ${SHOWN.map((field) => this.#field(field))}`;
  }

  /** @param {Field} field */
  #field({ name, label, help, choices, range, longest }) {
    const value = this.settings[name];
    const described = help ? `${name}-help` : undefined;
    return html`<div class="field">
      <label for=${name}>${label}</label>
      ${choices
        ? html`<select id=${name} aria-describedby=${described ?? name} @change=${(/** @type {any} */ { target }) => this.#set(name, target.value)}>
            ${choices.map(([option, text]) => html`<option value=${option} ?selected=${String(value) === option}>${text}</option>`)}
          </select>`
        : range
          ? html`<input
              id=${name}
              type="number"
              min=${range[0]}
              max=${range[1]}
              .value=${String(value)}
              aria-describedby=${described ?? name}
              @change=${(/** @type {any} */ { target }) => target.checkValidity() && this.#set(name, target.value)}
            />`
          : longest
            ? html`<input
                id=${name}
                type="text"
                maxlength=${longest}
                .value=${String(value)}
                aria-describedby=${described ?? name}
                @change=${(/** @type {any} */ { target }) => this.#set(name, target.value.trim())}
              />`
            : html`<span
              ><input
                id=${name}
                type="checkbox"
                .checked=${value === true}
                aria-describedby=${described ?? name}
                @change=${(/** @type {any} */ { target }) => this.#set(name, target.checked)}
            /></span>`}
      ${help ? html`<p class="help" id="${name}-help">${help}</p>` : ""}
    </div>`;
  }

  /**
   * @param {keyof Settings} name
   * @param {string | boolean} value as the control has it
   */
  #set(name, value) {
    const number = value === "" ? DEFAULTS[name] : Number(value);
    const kept = typeof DEFAULTS[name] === "number" ? number : value;
    this.done = change(name, /** @type {any} */ (kept)).then(() => this.#read());
  }

  async #read() {
    this.settings = await settings();
  }
}

customElements.define("k-settings", SettingOptions);
