/**
 * `<kc-group .group=${group}>`: the hub's group: its other machines, when each was seen last, and the tabs that they have for
 * it, which this machine's agents can use and the Console cannot.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/card.js";
import { controls, shared } from "../../ui/components/styles.js";
import { moment } from "../../ui/components/time_text.js";
import { statusRows } from "./status_rows.js";

/** @typedef {{tabId: string, machine: string, title: string, url: string, grant: {level: string} | null}} TabElsewhere */
/** @typedef {{name: string, machine: string, server: string, away: string | null, since: string, offered: number, machines: {machine: string, version: string}[], tabs: TabElsewhere[]}} GroupState */

export class GroupView extends LitElement {
  static properties = { group: { attribute: false } };
  static styles = [
    shared,
    controls,
    statusRows,
    css`
      .tabs {
        display: grid;
        gap: 2px;
        color: var(--quiet);
        font-size: var(--small);
      }
      p {
        overflow-wrap: anywhere;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {GroupState} */
    this.group = /** @type {any} */ (undefined);
    /** The machines that were seen since this view was opened: their version, and when they were there last, in Unix ms.
     * @type {Map<string, {version: string, at: number}>} */
    this.seen = new Map();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("group")) for (const { machine, version } of this.group.machines) this.seen.set(machine, { version, at: Date.now() });
  }

  render() {
    const { name, machine, server, away, since, offered, machines, tabs } = this.group;
    const there = new Set(machines.map((one) => one.machine));
    return html`<k-card heading="Group ${name}">
      <p>This machine is <b>${machine}</b>. ${offered === 1 ? "1 of its tabs is" : `${offered} of its tabs are`} also for the group.</p>
      ${away
        ? html`<p class="warn" role="status">
            The server ${server} has been unreachable since ${moment(Date.parse(since))}: ${away}. This machine's tabs go on.
          </p>`
        : ""}
      ${this.seen.size === 0 && !away ? html`<p class="quiet">No other machine is there.</p>` : ""}
      <ul>
        ${[...this.seen].toSorted().map(([other, { version, at }]) =>
          there.has(other)
            ? html`<li>
                <span class="good" aria-hidden="true">●</span><span>${other} <span class="quiet">${version}</span></span>
                ${this.#tabs(tabs.filter((tab) => tab.machine === other))}
              </li>`
            : html`<li class="quiet"><span aria-hidden="true">○</span><span>${other} seen last at ${moment(at)}</span></li>`,
        )}
      </ul>
    </k-card>`;
  }

  /** @param {TabElsewhere[]} tabs */
  #tabs(tabs) {
    if (tabs.length === 0) return html`<p class="quiet small">No tab of it is for the group.</p>`;
    return html`<div class="tabs" role="list" aria-label="Its tabs">
      ${tabs.map(
        ({ title, url, grant }) =>
          html`<span class="cut" role="listitem" title=${url}><bdi dir="auto">${title || url || "Untitled"}</bdi> · ${grant?.level ?? "no access"}</span>`,
      )}
    </div>`;
  }
}

customElements.define("kc-group", GroupView);
