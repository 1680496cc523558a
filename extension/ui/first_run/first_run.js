/**
 * `<k-first-run>`: the page that opens after installing: from nothing to a connected tab in two steps, each ticked when it is done.
 */

import "../components/prose.js";
import { LEVELS } from "../components/access_levels.js";
import { controls, shared } from "../components/styles.js";
import { grantText } from "../components/grant_text.js";
import * as pictures from "./pictures.js";
import { pairingState } from "../pairing_state.js";
import { showTheme } from "../theme.js";
import { openPort } from "../worker_port.js";
import { LitElement, css, html, svg } from "../vendor/lit.js";
import { siteOf } from "../../worker/gate/sites.js";
import { DEFAULTS, settings } from "../../worker/settings.js";
import { loadTabs } from "../../worker/state.js";

/** The interval for checking steps of which Chrome sends no event. */
const LOOK_MS = 2_000;

const ABOUT =
  "Kapture lets AI agents work in tabs that you choose, on sites that you allow, for as long as you allow it. " +
  "Two steps, and each is ticked when it is done.";
const CONNECT =
  "Press Connect beside a tab that an agent may work in. Chrome shows a bar saying that Kapture has started debugging " +
  "this browser: that is how you see that a tab is connected. Cancel in that bar disconnects every tab.";
const LATER =
  "Press the puzzle piece beside the address bar, then the pin beside Kapture. Its button shows the state of each tab, connects others, " +
  "and says what is allowed there.";

/**
 * @typedef {object} Steps
 * @property {boolean} pinned
 * @property {import("../pairing_state.js").PairingState | null} pairing null: not known yet
 * @property {OpenTab[]} tabs those that show a website: as they were listed, then the latest first
 */
/**
 * @typedef {object} OpenTab
 * @property {number} id Chrome's
 * @property {string} title
 * @property {string} site
 * @property {boolean} connected
 */

/** @type {Record<string, string>} */
const LEVEL_NAMES = Object.fromEntries(LEVELS.map(([level, name]) => [level, name]));

/**
 * Find out which steps are done.
 * @param {OpenTab[]} listed the tabs as they are listed: they keep their places, for the person may be about to press one
 * @returns {Promise<Steps>}
 */
export async function look(listed) {
  const [bar, pairing, tabs, saved] = await Promise.all([
    chrome.action.getUserSettings(),
    pairingState(),
    chrome.tabs.query({}),
    loadTabs(),
  ]);
  const open = tabs.flatMap(({ id, title = "", url = "", lastAccessed = 0 }) => {
    const site = /^https?:/.test(url) ? siteOf(url) : null;
    return id === undefined || !site ? [] : [{ id, title: title || url, site, lastAccessed, connected: saved.get(id)?.connected === true }];
  });
  const places = new Map(listed.map(({ id }, place) => [id, place]));
  const place = (/** @type {OpenTab} */ { id }) => places.get(id) ?? listed.length;
  return { pinned: bar.isOnToolbar === true, pairing, tabs: open.toSorted((one, other) => place(one) - place(other) || other.lastAccessed - one.lastAccessed) };
}

export class FirstRun extends LitElement {
  static properties = { steps: { attribute: false }, grant: { attribute: false }, problems: { state: true }, pending: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: grid;
        gap: 18px;
      }
      ol {
        display: grid;
        gap: 14px;
      }
      li {
        display: grid;
        grid-template-columns: 240px minmax(0, 1fr);
        gap: 18px;
        align-items: center;
        padding: 14px;
        border: 1px solid var(--line);
        border-radius: 12px;
      }
      li.done {
        border-color: var(--good);
      }
      svg {
        display: block;
        width: 100%;
        max-width: 240px;
      }
      h2 {
        display: flex;
        align-items: center;
        gap: 8px;
        margin-bottom: 4px;
        color: var(--text);
        font-size: 15px;
      }
      .sign {
        display: inline-grid;
        flex: none;
        place-items: center;
        width: 24px;
        height: 24px;
        border-radius: 50%;
        background: var(--raised);
        font-size: var(--size);
      }
      .done .sign {
        background: var(--good-soft);
        color: var(--good);
      }
      .tabs {
        display: grid;
        gap: 6px;
        max-height: 260px;
        margin-top: 8px;
        overflow: auto;
      }
      .tab {
        display: flex;
        align-items: center;
        gap: 10px;
        min-width: 0;
      }
      .tab .cut {
        flex: 1;
      }
      k-prose.small {
        font-size: var(--small);
      }
      .state {
        margin-top: 6px;
        font-weight: 600;
      }
      .state.good {
        color: var(--good);
      }
      .state.bad {
        color: var(--bad);
      }
      @media (max-width: 560px) {
        li {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Steps} */
    this.steps = { pinned: false, pairing: null, tabs: [] };
    /** What Connect gives. @type {{defaultSites: "site" | "any", defaultLevel: import("../../worker/gate/rules.js").Level}} */
    this.grant = DEFAULTS;
    /** Why a tab could not be connected, by its id. @type {Record<number, string>} */
    this.problems = {};
    /** Whether the hub has yet to take a tab, by its id. @type {Record<number, boolean>} */
    this.pending = {};
    /** @type {Map<number, (message: object) => void>} */
    this.ports = new Map();
  }

  render() {
    const { pinned, pairing, tabs } = this.steps;
    const paired = pairing?.tone === "good";
    const connected = tabs.some((tab) => tab.connected && !this.pending[tab.id]);
    const all = paired && connected;
    return html`<k-prose class="quiet" text=${ABOUT}></k-prose>
      <ol>
        ${this.#step(
          1,
          "Pair with this computer",
          paired,
          pictures.pair,
          "Run `kapture setup` in a terminal. It installs the helper through which this browser finds Kapture's hub and verifies that it is yours.",
          html`<p class="state ${pairing?.tone ?? ""}" role="status" aria-live="polite">${pairing?.message ?? "Looking for the hub…"}</p>
            ${pairing?.hint && pairing.installed ? html`<k-prose class="small" .text=${pairing.hint}></k-prose>` : ""}`,
        )}
        ${this.#step(2, "Connect a tab", all, pictures.connect, CONNECT, this.#tabs())}
      </ol>
      <p class="state ${all ? "good" : ""}" role="status">${all ? "A tab is connected. Your agent can list it now." : ""}</p>
      <ol>
        ${this.#step(3, "For later: pin Kapture", pinned, pictures.pin, LATER)}
      </ol>`;
  }

  #tabs() {
    const { tabs } = this.steps;
    if (tabs.length === 0) return html`<p class="small quiet">No website is open: open one in another tab, and it is listed here.</p>`;
    return html`<div class="tabs" role="group" aria-label="Open tabs">
      ${tabs.map(
        (tab) => html`<div class="tab">
          <span class="cut" dir="auto" title=${tab.title}>${tab.title} <span class="quiet small">${tab.site}</span></span>
          ${tab.connected
            ? this.pending[tab.id]
              ? html`<span class="state">Connecting…</span>`
              : html`<span class="state good">Connected</span>`
            : html`<button type="button" class="primary" aria-label="Connect ${tab.title}" title="${grantText(this.#grantOf(tab))}, until you disconnect it" @click=${() => this.#connect(tab)}>Connect</button>`}
        </div>
        ${this.problems[tab.id] ? html`<p class="small state bad" role="alert">${this.problems[tab.id]}</p>` : ""}`,
      )}
    </div>
    <p class="small quiet">It gets what the options say: ${LEVEL_NAMES[this.grant.defaultLevel]} on ${this.grant.defaultSites === "any" ? "any site" : "the site that it shows"}.</p>`;
  }

  /** @param {OpenTab} tab */
  #grantOf({ site }) {
    return { sites: [this.grant.defaultSites === "any" ? "*" : site], level: this.grant.defaultLevel };
  }

  /** As the popup does, with the grant that it would offer. @param {OpenTab} tab */
  #connect(tab) {
    const send =
      this.ports.get(tab.id) ??
      openPort(`tab:${tab.id}`, ({ type, message, view }) => {
        const pending = ["connecting", "waiting"].includes(view?.tab?.state);
        const problem = type === "problem" ? message : ((view?.failure ?? (pending ? view.tab.reason : null))?.message ?? "");
        this.problems = { ...this.problems, [tab.id]: problem };
        if (view) this.pending = { ...this.pending, [tab.id]: pending };
      });
    this.ports.set(tab.id, send);
    send({ do: "connect", site: tab.site, grant: this.#grantOf(tab) });
  }

  /**
   * @param {number} number
   * @param {string} title
   * @param {boolean} done
   * @param {unknown} picture
   * @param {string} text
   * @param {unknown} [more]
   */
  #step(number, title, done, picture, text, more = "") {
    return html`<li class=${done ? "done" : ""}>
      ${svg`<svg viewBox="0 0 240 96" aria-hidden="true">${picture}</svg>`}
      <div>
        <h2><span class="sign" role="img" aria-label=${done ? "done" : `step ${number}`}>${done ? "✓" : number}</span>${title}</h2>
        <k-prose .text=${text}></k-prose>
        ${more}
      </div>
    </li>`;
  }
}

customElements.define("k-first-run", FirstRun);

const page = document.querySelector("k-first-run");
if (page instanceof FirstRun) {
  const update = async () => {
    try {
      [page.steps, page.grant] = await Promise.all([look(page.steps.tabs), settings()]);
    } catch (error) {
      console.warn("Kapture:", error); // Chrome refuses some calls while it starts or updates the extension
    }
    setTimeout(update, LOOK_MS);
  };
  void showTheme();
  void update();
}
