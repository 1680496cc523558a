/**
 * `<k-first-run>`: the page that opens after installing: the four steps to a connected tab, each ticked when it is done.
 */

import "../components/prose.js";
import { controls, shared } from "../components/styles.js";
import * as pictures from "./pictures.js";
import { pairingState } from "../pairing_state.js";
import { showTheme } from "../theme.js";
import { LitElement, css, html, svg } from "../vendor/lit.js";
import { siteOf } from "../../worker/gate/sites.js";
import { loadTabs } from "../../worker/state.js";

/** The interval for checking steps of which Chrome sends no event. */
const LOOK_MS = 2_000;

const ABOUT =
  "Kapture lets AI agents work in tabs that you choose, on sites that you allow, for as long as you allow it. " +
  "Four steps, and each is ticked when it is done.";
const CONNECT =
  "Press Kapture's button, choose what is allowed, then Connect. Chrome shows a bar saying that Kapture has started debugging " +
  "this browser: that is how you see that a tab is connected. Cancel in that bar disconnects every tab.";

/**
 * @typedef {object} Steps
 * @property {boolean} pinned
 * @property {import("../pairing_state.js").PairingState | null} pairing null: not known yet
 * @property {boolean} opened whether a website is open
 * @property {boolean} connected
 */

/** Find out which steps are done. @returns {Promise<Steps>} */
export async function look() {
  const [settings, pairing, tabs, saved] = await Promise.all([
    chrome.action.getUserSettings(),
    pairingState(),
    chrome.tabs.query({}),
    loadTabs(),
  ]);
  return {
    pinned: settings.isOnToolbar === true,
    pairing,
    opened: tabs.some(({ url = "" }) => /^https?:/.test(url) && siteOf(url) !== null),
    connected: [...saved.values()].some(({ connected }) => connected),
  };
}

export class FirstRun extends LitElement {
  static properties = { steps: { attribute: false } };
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
    this.steps = { pinned: false, pairing: null, opened: false, connected: false };
  }

  render() {
    const { pinned, pairing, opened, connected } = this.steps;
    const paired = pairing?.tone === "good";
    const all = paired && connected;
    return html`<k-prose class="quiet" text=${ABOUT}></k-prose>
      <ol>
        ${this.#step(
          1,
          "Pin Kapture",
          pinned,
          pictures.pin,
          "Press the puzzle piece beside the address bar, then the pin beside Kapture: its button then always shows the state of the tab.",
        )}
        ${this.#step(
          2,
          "Pair with this computer",
          paired,
          pictures.pair,
          "Run `kapture setup` in a terminal. It installs the helper through which this browser finds Kapture's hub and verifies that it is yours.",
          html`<p class="state ${pairing?.tone ?? ""}" role="status" aria-live="polite">${pairing?.message ?? "Looking for the hub…"}</p>
            ${pairing?.hint && pairing.installed ? html`<k-prose class="small" .text=${pairing.hint}></k-prose>` : ""}`,
        )}
        ${this.#step(3, "Open a website", opened, pictures.open, "In a tab of this window, open the site that an agent may work on.")}
        ${this.#step(
          4,
          "Press Connect",
          all,
          pictures.connect,
          CONNECT,
        )}
      </ol>
      <p class="state ${all ? "good" : ""}" role="status">${all ? "A tab is connected. Your agent can list it now." : ""}</p>`;
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
      page.steps = await look();
    } catch (error) {
      console.warn("Kapture:", error); // Chrome refuses some calls while it starts or updates the extension
    }
    setTimeout(update, LOOK_MS);
  };
  void showTheme();
  void update();
}
