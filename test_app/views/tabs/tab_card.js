/**
 * `<kc-tab-card .tab=${tab}>`: one tab at a glance: picture, title, who drives it, what runs, what may be done to it.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { LEVEL_TONES } from "../../ui/components/access_levels.js";
import "../../ui/components/badge.js";
import { controls, shared } from "../../ui/components/styles.js";
import { nameOf } from "../../model/names.js";
import { Following } from "../../ui/components/observed.js";
import "./heartbeat.js";
import "./live_picture.js";
import "../menu.js";
import "./narrow.js";
import { stateOf } from "./tab_list.js";

/** @typedef {import("../../model/live.js").Tab} Tab */

const DIRECT = new Set(["launch", "attach", "relay"]); // no extension is in their browser
const NOTES = /** @type {Record<string, string>} */ ({ deny: "The access was not changed.", unanswered: "Nobody answered in the browser." });

export class TabCard extends LitElement {
  static properties = { app: { attribute: false }, tab: { attribute: false }, narrowing: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      article {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        overflow: hidden;
        border: 1px solid var(--line);
        border-radius: 10px;
        background: var(--ground);
      }
      article.busy {
        border-color: var(--accent);
        box-shadow: 0 0 0 1px var(--accent);
      }
      article.warn {
        border-color: var(--warn);
      }
      .view {
        position: relative;
        border-bottom: 1px solid var(--line);
      }
      .show,
      .show:hover:not(:disabled) {
        position: absolute;
        inset: 0;
        border: 0;
        border-radius: 0;
        background: none;
        cursor: zoom-in;
      }
      .show:focus-visible {
        outline-offset: -3px;
      }
      kc-picture {
        aspect-ratio: 16 / 9;
      }
      .doing {
        position: absolute;
        inset: auto 0 0 0;
        padding: 4px 10px;
        background: color-mix(in srgb, var(--ground) 90%, transparent);
        color: var(--text);
        font-size: var(--small);
        text-align: start;
      }
      .doing b {
        color: var(--accent);
      }
      .doing .warn {
        color: var(--warn);
      }
      .words {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 3px;
        padding: 8px 10px 9px;
      }
      h2 {
        color: var(--text);
        font-size: var(--size);
      }
      .meta {
        display: flex;
        align-items: center;
        gap: 6px;
        min-height: 22px;
      }
      .meta .cut {
        flex: 1;
      }
      .buttons {
        display: flex;
        gap: 2px;
        margin-left: auto;
      }
      .buttons button {
        font-size: var(--small);
      }
      .note {
        color: var(--warn);
        overflow-wrap: anywhere;
      }
      .place {
        display: flex;
        gap: 8px;
        justify-content: space-between;
      }
      kc-heartbeat {
        flex: none;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    /** @type {Tab} */
    this.tab = /** @type {any} */ (undefined);
    this.narrowing = false;
    new Following(this, () => [this.app.live, this.app.notes]);
  }

  render() {
    const { app, tab } = this;
    const { tabId, title, url, level, browser, backend } = tab;
    const { running, waiting, driver } = app.live.calls.load(tabId);
    const [state, words] = stateOf(tab, running.length > 0);
    const grant = level === "none" ? "no access" : level;
    const name = nameOf(tab);
    const items = this.#items();
    const note = app.notes.of(tabId);
    return html`<article class=${state} aria-label=${name}>
      <div class="view">
        <kc-picture .live=${app.live} tab-id=${tabId} label="What ${name} shows"></kc-picture>
        ${running.length > 0 || waiting || state === "warn"
          ? html`<div class="doing cut">
              ${state === "warn"
                ? html`<span class="warn">${words}</span>`
                : html`<b>${running.map(({ command }) => command).join(", ")}</b> ${running[0] ? html`· <bdi>${running[0].client}</bdi>` : ""}`}
              ${waiting ? ` · ${waiting} waiting` : ""}
            </div>`
          : ""}
        <button type="button" class="show" aria-label="Enlarge ${name}" @click=${() => app.set({ tabId, stage: { tabId, picked: null } })}></button>
      </div>
      <div class="words">
        <h2 class="cut" dir="auto" title=${title}>${name}</h2>
        <p class="quiet small place">
          <span class="cut" title=${url}>${app.live.places.get(tabId) || "no page"} · ${browser || backend}</span>
          <kc-heartbeat .live=${app.live} .tab=${tab}></kc-heartbeat>
        </p>
        <div class="meta">
          <k-badge tone=${LEVEL_TONES[level]} title=${tab.grant ? `Grant: ${tab.grant.level} on ${tab.grant.sites.join(", ")}` : "No grant"}>${grant}</k-badge>
          ${tab.forGroup ? html`<k-badge tone="off" title="Agents on every machine of the hub's group can use it">group</k-badge>` : ""}
          <span class="quiet small cut">${tab.owner ? html`<bdi>${tab.owner.name}</bdi> has it` : driver ? `last: ${driver}` : ""}</span>
          <span class="buttons">
            <button type="button" class="plain" title="Commands on this tab" @click=${() => app.set({ tabId, view: "commands" })}>Run…</button>
            ${items.length ? html`<kc-menu label="More" name="More of ${name}" .items=${items}></kc-menu>` : ""}
          </span>
        </div>
        ${note ? html`<p class="small note" role="status">${note}</p>` : ""}
        ${this.narrowing
          ? html`<kc-narrow
              .tab=${tab}
              .onNarrow=${(/** @type {object} */ left) => app.live.act("narrow_grant", tabId, left)}
              .onClose=${() => (this.narrowing = false)}
            ></kc-narrow>`
          : ""}
      </div>
    </article>`;
  }

  /** The actions on the tab. @returns {import("../menu.js").Item[]} */
  #items() {
    const { tabId, level, controlled, heldBy, owner, backend } = this.tab;
    const direct = DIRECT.has(backend);
    const may = level === "interact" || level === "full";
    return [
      ...(may
        ? [
            { label: "Open another tab", title: "With the same access", act: () => this.#open() },
            { label: "Bring to front", title: "In its window", act: () => this.#run("tab_activate") },
          ]
        : []),
      ...(this.tab.pausedClients?.length
        ? [{ label: "Resume", title: `Let ${this.tab.pausedClients.join(", ")} go on`, act: () => this.#doing(() => this.app.live.act("resume", tabId)) }]
        : []),
      ...(heldBy
        ? [
            {
              label: "Take it back",
              title: `From the script (${heldBy.client}) that is using it`,
              act: () => this.#doing(() => this.app.live.act("release", tabId)),
            },
          ]
        : owner
          ? [
              {
                label: "Free it",
                title: `Every agent may use it then, not only ${owner.name}, which opened it`,
                act: () => this.#doing(() => this.app.live.act("release", tabId)),
              },
            ]
          : []),
      ...(controlled
        ? [
            {
              label: "Change access…",
              title: direct ? "It was given on the command line" : "You are asked in the browser that shows the tab",
              act: () => this.#changeGrant(direct),
            },
            ...(this.tab.grant
              ? [
                  {
                    label: "Reduce access…",
                    title: direct ? "Of this tab and those that its page opens" : "At once, without a question",
                    act: () => (this.narrowing = true),
                  },
                ]
              : []),
            {
              label: "Disconnect",
              title: `The tab stays open; ${direct ? "Kapture leaves it alone" : "Connect in the browser connects it again"}`,
              act: () => this.#disconnect(),
            },
          ]
        : []),
      ...(may ? [{ label: "Close the tab", danger: true, act: () => this.#close() }] : []),
    ];
  }

  /** @param {boolean} direct no extension asks its person: the answer says how it is changed */
  #changeGrant(direct) {
    const { app, tab } = this;
    if (!direct) app.notes.say(tab.tabId, "Answer in the browser that shows the tab…");
    return this.#doing(async () => NOTES[await app.live.act("change_grant", tab.tabId)] ?? "");
  }

  #disconnect() {
    const { app, tab } = this;
    return this.#doing(() => app.live.act("disconnect", tab.tabId));
  }

  #close() {
    if (confirm(`Close “${nameOf(this.tab)}”?`)) void this.#run("tab_close");
  }

  /** Show the new tab at large, where an address can be given. */
  #open() {
    const { app, tab } = this;
    return this.#doing(async () => {
      const { data } = await app.command("tab_new", { tabId: tab.tabId });
      const { tabId } = /** @type {{tabId: string}} */ (data);
      const { live } = app;
      await live.until(() => live.tabs.has(tabId) || !live.connected); // it comes by another way than the answer
      if (live.tabs.has(tabId)) app.set({ tabId, stage: { tabId, picked: null } }); // another hub's tab may be called the same
    });
  }

  /** @param {string} command */
  #run(command) {
    const { app, tab } = this;
    return this.#doing(() => app.command(command, { tabId: tab.tabId }));
  }

  /** Say what comes of it, or why it failed. @param {() => Promise<unknown>} work */
  async #doing(work) {
    const { app, tab } = this;
    try {
      const note = await work();
      app.notes.say(tab.tabId, typeof note === "string" ? note : "");
    } catch (error) {
      app.notes.say(tab.tabId, /** @type {Error} */ (error).message);
    }
  }
}

customElements.define("kc-tab-card", TabCard);
