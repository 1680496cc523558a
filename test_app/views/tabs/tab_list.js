/**
 * `<kc-tab-list>`: the connected tabs; the selected one is what commands, logs and requests are about.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/list.js";
import { searchField } from "../../ui/components/logs/search_field.js";
import { controls, shared } from "../../ui/components/styles.js";
import { nameOf } from "../../model/names.js";
import { Following } from "../../ui/components/observed.js";

/** @typedef {import("../../model/live.js").Tab} Tab */

const SEARCH_FROM = 8; // tabs: fewer are seen at once
const ROW = css`
  .state {
    flex: none;
    width: 9px;
    height: 9px;
    border: 2px solid var(--quiet);
    border-radius: 50%;
  }
  .state.busy {
    border-color: var(--accent);
    background: var(--accent);
  }
  .state.warn {
    border-color: var(--warn);
    background: var(--warn);
  }
  .names {
    display: grid;
    flex: 1;
    line-height: 1.35;
  }
  .title {
    font-weight: 550;
  }
  .host {
    color: var(--quiet);
    font-size: var(--small);
  }
  .queue {
    flex: none;
    padding: 0 6px;
    border-radius: 999px;
    background: var(--accent-soft);
    color: var(--accent);
    font-size: var(--small);
    font-weight: 600;
  }
`;

export class TabList extends LitElement {
  static properties = { app: { attribute: false }, search: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
        background: var(--raised);
      }
      h2 {
        display: flex;
        justify-content: space-between;
        padding: 9px 12px 7px;
      }
      .search {
        padding: 0 8px 8px;
      }
      k-list {
        flex: 1;
      }
      .choice {
        display: none;
        padding: 6px 10px;
      }
      @media (max-width: 640px) {
        h2,
        .search,
        k-list {
          display: none;
        }
        .choice {
          display: block;
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    this.search = "";
    new Following(this, () => [this.app]);
  }

  render() {
    const { app } = this;
    const all = [...app.live.tabs.values()];
    const words = this.search.toLowerCase();
    const tabs = words ? all.filter(({ title, url }) => `${title} ${url}`.toLowerCase().includes(words)) : all;
    return html`<h2>Tabs <span class="number">${all.length}</span></h2>
      ${all.length >= SEARCH_FROM
        ? html`<div class="search">
            ${searchField(this, "Search the tabs")}
          </div>`
        : ""}
      <k-list
        label="Connected tabs"
        row-height="46"
        .items=${tabs}
        .row=${(/** @type {Tab} */ tab) => this.#row(tab)}
        .rowStyles=${ROW}
        .selected=${tabs.findIndex(({ tabId }) => tabId === app.tabId)}
        .onSelect=${(/** @type {number} */ index) => app.set({ tabId: tabs[index].tabId })}
      ></k-list>
      <div class="choice">
        <select aria-label="Tab" @change=${(/** @type {any} */ { target }) => app.set({ tabId: target.value })}>
          ${all.map((tab) => {
            const name = [nameOf(tab).slice(0, 80), app.live.places.get(tab.tabId)].filter(Boolean).join(" · ");
            return html`<option value=${tab.tabId} .selected=${tab.tabId === app.tabId}>${name}</option>`;
          })}
        </select>
      </div>`;
  }

  /** @param {Tab} tab */
  #row(tab) {
    const { running, waiting } = this.app.live.calls.load(tab.tabId);
    const [state, words] = stateOf(tab, running.length > 0);
    return html`<span class="state ${state}" role="img" aria-label=${words} title=${words}></span>
      <span class="names">
        <span class="title cut" dir="auto">${nameOf(tab)}</span>
        <span class="host cut" title=${tab.url}>
          ${running.length ? running.map(({ command }) => command).join(", ") : this.app.live.places.get(tab.tabId)}
        </span>
      </span>
      ${waiting ? html`<span class="queue number" title="${waiting} waiting">${waiting}</span>` : ""}`;
  }
}

/**
 * The state of a tab: the class of its sign, and words.
 * @param {Tab} tab
 * @param {boolean} busy
 * @returns {[string, string]}
 */
export function stateOf(tab, busy) {
  if (tab.dialog) return ["warn", `A dialog (${tab.dialog}) is open`];
  if (tab.detached) return ["warn", tab.detached];
  if (tab.state !== "connected") return ["warn", "Lost its connection a moment ago"];
  if (tab.heldBy) return ["busy", `A script (${tab.heldBy.client}) is using it`];
  return busy ? ["busy", "Running a command"] : ["", "Idle"];
}

customElements.define("kc-tab-list", TabList);
