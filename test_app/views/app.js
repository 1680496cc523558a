/**
 * `<kc-app>`: the header, the tabs of the hub, the views, the waterfall below them.
 */

import { LitElement, css, html } from "../ui/vendor/lit.js";
import "../ui/components/hand_over.js";
import "../ui/components/tabs.js";
import { controls, shared } from "../ui/components/styles.js";
import { VIEWS } from "../model/app.js";
import { nameOf } from "../model/names.js";
import { Following } from "../ui/components/observed.js";
import "./calls/activity.js";
import "./commands/commands.js";
import "./hub/connection.js";
import "./logs/logs.js";
import "./logs/network.js";
import "./scenarios.js";
import "./tabs/stage.js";
import "./hub/status.js";
import "./tabs/tab_list.js";
import "./tabs/wall.js";
import "./calls/waterfall.js";
import "./welcome.js";

/** @typedef {import("../model/app.js").App} App */
/** @typedef {import("../model/app.js").View} View */

const THEMES = /** @type {const} */ ([["", "System theme"], ["light", "Light theme"], ["dark", "Dark theme"]]);

export class AppView extends LitElement {
  static properties = { app: { attribute: false }, waterfall: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: grid;
        grid-template-rows: auto auto minmax(0, 1fr) auto;
        grid-template-columns: minmax(0, 1fr);
        height: 100%;
      }
      header {
        display: flex;
        align-items: center;
        gap: 14px;
        min-height: 44px;
        padding: 0 14px;
        background: var(--raised);
      }
      h1 {
        display: flex;
        align-items: center;
        gap: 8px;
        margin: 0;
        font-size: 15px;
        font-weight: 650;
      }
      h1 img {
        width: 20px;
        height: 20px;
      }
      .counts {
        flex: 1;
        color: var(--quiet);
      }
      .counts b {
        color: var(--text);
        font-weight: 600;
      }
      header select {
        width: auto;
      }
      .yours {
        display: grid;
        gap: 8px;
        max-height: 40vh;
        overflow: auto;
      }
      .yours:not(:empty) {
        padding: 10px 14px;
        background: var(--raised);
      }
      main {
        display: grid;
        min-height: 0;
      }
      .connecting {
        padding-top: 18vh;
        background: var(--ground);
        color: var(--quiet);
        text-align: center;
      }
      .beside {
        display: grid;
        grid-template-columns: clamp(180px, 19vw, 270px) minmax(0, 1fr);
        height: 100%;
        min-height: 0;
      }
      .beside > :first-child {
        border-right: 1px solid var(--line);
      }
      .beside > * {
        min-height: 0;
      }
      @media (max-width: 640px) {
        header {
          flex-wrap: wrap;
          gap: 4px 10px;
          padding: 4px 10px;
        }
        .counts {
          display: none;
        }
        header select {
          margin-left: auto;
        }
        .beside {
          grid-template-rows: auto minmax(0, 1fr);
          grid-template-columns: minmax(0, 1fr);
        }
        .beside > :first-child {
          border-right: 0;
          border-bottom: 1px solid var(--line);
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {App} */
    this.app = /** @type {any} */ (undefined);
    this.waterfall = true;
    new Following(this, () => [this.app]);
  }

  connectedCallback() {
    super.connectedCallback();
    document.addEventListener("keydown", this.#key); // also while nothing has the focus
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener("keydown", this.#key);
  }

  render() {
    const { app } = this;
    if (!app) return html``;
    const { live, connection } = app;
    const welcome = live.tabs.size === 0;
    const connecting = !live.hub && (connection.state === "connecting" || connection.state === "connected");
    return html`<header>
        <h1><img src="icon.svg" alt="" />Kapture</h1>
        <p class="counts cut number">${live.connected ? this.#counts() : ""}</p>
        <select aria-label="Theme" @change=${(/** @type {any} */ { target }) => app.set({ theme: target.value })}>
          ${THEMES.map(([theme, label]) => html`<option value=${theme} .selected=${theme === app.theme}>${label}</option>`)}
        </select>
        <kc-connection .app=${app}></kc-connection>
      </header>
      <div class="yours">${(live.hub?.handedOver ?? []).map((one) => this.#handedOver(one))}</div>
      <main>
        ${connecting
          ? html`<p class="connecting" role="status">Connecting to the hub…</p>`
          : connection.state !== "connected" && !live.connected
            ? html`<kc-welcome .app=${app}></kc-welcome>`
            : html`<k-tabs
                label="Views"
                .tabs=${VIEWS.map(([id, label]) => ({
                  id,
                  label,
                  ...(id === "status" && live.hub?.questions.length ? { count: live.hub.questions.length } : {}),
                }))}
                .selected=${app.view}
                .onSelect=${(/** @type {View} */ view) => app.set({ view })}
              >
                ${welcome && app.view !== "status" ? html`<kc-welcome slot=${app.view} .app=${app}></kc-welcome>` : this.#view()}
              </k-tabs>`}
      </main>
      ${welcome ? html`<span></span>` : html`<aside aria-label="Timeline"><kc-waterfall .app=${app}></kc-waterfall></aside>`}
      ${app.stage ? html`<kc-stage .app=${app}></kc-stage>` : ""}`;
  }

  #view() {
    const { app } = this;
    const beside = (/** @type {unknown} */ content) =>
      html`<div slot=${app.view} class="beside"><kc-tab-list .app=${app}></kc-tab-list>${content}</div>`;
    switch (app.view) {
      case "wall":
        return html`<kc-wall slot="wall" .app=${app}></kc-wall>`;
      case "commands":
        return beside(html`<kc-commands .app=${app}></kc-commands>`);
      case "scenarios":
        return beside(html`<kc-scenarios .app=${app}></kc-scenarios>`);
      case "logs":
        return beside(html`<kc-logs .app=${app}></kc-logs>`);
      case "network":
        return beside(html`<kc-network .app=${app}></kc-network>`);
      case "activity":
        return html`<kc-activity slot="activity" .app=${app}></kc-activity>`;
      default:
        return html`<kc-status slot="status" .app=${app}></kc-status>`;
    }
  }

  /** What a client asks its person to do in a tab whose browser has no extension. @param {import("../model/live.js").HandedOver} asked */
  #handedOver({ tabId, client, what, since, expiresAt }) {
    const { live } = this.app;
    return html`<k-hand-over
      away
      .asked=${{ id: `${tabId} ${since}`, client, what, expiresAt, waits: true }}
      .tabTitle=${nameOf(live.tabs.get(tabId), tabId)}
      .onAnswer=${(/** @type {string} */ decision, /** @type {string} */ note) => void live.act("hand_back", tabId, { done: decision === "done", note }).catch(() => {})}
    ></k-hand-over>`;
  }

  #counts() {
    const { live } = this.app;
    const { clients = [], questions = [], version = "" } = live.hub ?? {};
    const many = (/** @type {number} */ count, /** @type {string} */ word) => html`<b>${count}</b> ${word}${count === 1 ? "" : "s"}`;
    const asked = questions.length ? html` · ${many(questions.length, "question")} pending` : "";
    return html`hub ${version} · ${many(live.tabs.size, "tab")} · ${many(clients.length, "client")}${asked}`;
  }

  /** @param {KeyboardEvent} event */
  #key = (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      return void this.#searchCommands();
    }
    const at = event.altKey && !event.ctrlKey && !event.metaKey ? Number(event.key) : NaN;
    if (!(at >= 1 && at <= VIEWS.length)) return;
    event.preventDefault();
    this.app.set({ view: VIEWS[at - 1][0] });
  };

  async #searchCommands() {
    if (this.app.view !== "commands") this.app.set({ view: "commands" });
    this.requestUpdate(); // the store reports its change too late to be waited for
    await this.updateComplete;
    /** @type {import("./commands/commands.js").Commands | null} */ (this.renderRoot.querySelector("kc-commands"))?.search();
  }
}

customElements.define("kc-app", AppView);
