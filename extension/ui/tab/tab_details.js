/**
 * `<k-tab-details .view=${view} …>`: one tab: its page, what must be known of its state, what is allowed on it, and the facts
 * of its connection.
 */

import "../components/code.js";
import "../components/prose.js";
import { controls, shared } from "../components/styles.js";
import { duration } from "../components/time_text.js";
import "../grant_form.js";
import { grantText } from "../components/grant_text.js";
import { lastingText } from "../components/standing_list.js";
import { countdown, noteOf } from "./tab_notes.js";
import { LitElement, css, html } from "../vendor/lit.js";

/** @typedef {import("../../worker/gate/access.js").Grant} Grant */
/** @typedef {import("../grant_form.js").GrantForm} GrantForm */

const TICK_MS = 1_000;
const MOST_SITES = 4; // named; the form lists all of them
/** @type {Record<string, string>} */
const ACTIONS = { release: "Take it back", retry: "Retry now", reconnect: "Reconnect", options: "Open options", first_run: "Show me how", resume: "Resume", resume_all: "Resume all" };

export class TabDetails extends LitElement {
  static properties = {
    view: { attribute: false },
    problem: {},
    compact: { type: Boolean },
    onGrant: { attribute: false },
    onGroup: { attribute: false },
    onAction: { attribute: false },
    editing: { state: true },
    touched: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: var(--gap);
      }
      .title {
        font-weight: 600;
      }
      .note {
        display: grid;
        gap: 6px;
        padding: 8px 10px;
        border-radius: var(--radius);
        background: var(--raised);
        overflow-wrap: anywhere;
      }
      .note.bad {
        background: var(--bad-soft);
      }
      .note.warn {
        background: var(--warn-soft);
      }
      .note.bad *,
      .note.warn *,
      .note.quiet button {
        color: var(--text);
      }
      .message k-prose {
        font-weight: 600;
      }
      .note.plain {
        padding: 0;
        background: none;
      }
      .note.plain k-prose {
        color: var(--quiet);
        font-weight: 400;
      }
      .small k-prose {
        font-size: var(--small);
      }
      .message {
        font-weight: 600;
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 8px;
      }
      .allowed {
        display: flex;
        align-items: baseline;
        gap: 8px;
        justify-content: space-between;
      }
      .allowed > span {
        display: -webkit-box;
        min-width: 0;
        overflow: hidden;
        overflow-wrap: anywhere;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 5; /* names can be long, and the popup must not scroll */
      }
      .dot {
        display: inline-block;
        width: 0.7em;
        height: 0.7em;
        border-radius: 50%;
        background: var(--quiet);
      }
      /* as Chrome's groups of tabs */
      .dot.blue {
        background: #1a73e8;
      }
      .dot.red {
        background: #d93025;
      }
      .dot.yellow {
        background: #e8a400;
      }
      .dot.green {
        background: #188038;
      }
      .dot.pink {
        background: #d01884;
      }
      .dot.purple {
        background: #a142f4;
      }
      .dot.cyan {
        background: #12919b;
      }
      .dot.orange {
        background: #e8710a;
      }
      .box {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 10px;
        padding: 10px 12px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
      }
      dl {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        align-items: center;
        gap: 2px 12px;
        font-size: var(--small);
      }
      dt {
        color: var(--quiet);
      }
      dd {
        min-width: 0;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {any} what the worker sends; null until it has */
    this.view = null;
    /** The problem of the person's last action. */
    this.problem = "";
    /** No facts but the most important, as in the popup. */
    this.compact = false;
    /** @type {(what: "grant" | "connect", chosen: {grant: Grant, remember?: boolean, lasting?: object}) => void} */
    this.onGrant = () => {};
    /** @type {(group: string | null) => void} */
    this.onGroup = () => {};
    /** @type {(action: "release" | "retry" | "reconnect" | "options" | "first_run" | "resume" | "resume_all") => void} */
    this.onAction = () => {};
    this.editing = false;
    this.touched = false;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticking = undefined;
  }

  connectedCallback() {
    super.connectedCallback();
    this.ticking = setInterval(() => this.view?.connected && this.requestUpdate(), TICK_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.ticking);
  }

  /** The contents of the form, which Connect sends. */
  chosen() {
    const chosen = this.#form?.read() ?? null;
    if (chosen) this.#form?.settle();
    return chosen;
  }

  /** @returns {GrantForm | null} */
  get #form() {
    return this.renderRoot.querySelector("k-grant");
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const before = /** @type {any} */ (changed.get("view"));
    if (before && before.connected !== this.view.connected) [this.editing, this.touched] = [false, false];
  }

  render() {
    const { view } = this;
    if (!view) return "";
    const { title, url, connected } = view;
    return html`<section aria-label="The tab">
        <p class="title cut" dir="auto" title=${title}>${title || "Untitled"}</p>
        <p class="quiet small mono cut" title=${url}>${url || "No address"}</p>
      </section>
      ${this.#note()} ${connected && view.tab.owner ? this.#owner() : ""} ${!connected && view.closed ? "" : this.#access()} ${connected && !(this.compact && this.editing) ? this.#facts() : ""}`;
  }

  #note() {
    const note = this.problem ? { tone: "bad", message: this.problem, hint: "", actions: [] } : noteOf(this.view);
    if (!note) return "";
    const { tone, message, hint, actions } = note;
    const { connected, tab } = this.view;
    const trying = connected && tab.state === "waiting" ? countdown(tab.retryAt, Date.now()) : "";
    const plain = tone === "quiet" && !hint;
    return html`<div class="note ${tone} ${plain ? "plain" : ""}" role=${tone === "bad" ? "alert" : "note"}>
      <p class="message ${plain ? "small" : ""}"><k-prose .text=${message}></k-prose></p>
      ${hint ? html`<p class="small"><k-prose .text=${hint}></k-prose></p>` : ""}
      ${trying || actions.length > 0
        ? html`<div class="row">
            ${actions.map((action) => this.#action(action))} ${trying ? html`<span class="small number" role="timer">${trying}</span>` : ""}
          </div>`
        : ""}
    </div>`;
  }

  /** @param {string} action */
  #action(action) {
    if (action === "allow_site") {
      const { site, tab } = this.view;
      const grant = { ...tab.grant, sites: [...tab.grant.sites, site] };
      return html`<button type="button" @click=${() => this.onGrant("grant", { grant })}>Allow this site too</button>`;
    }
    const { canceled } = this.view;
    const what = action === "reconnect" ? ` ${canceled} ${canceled === 1 ? "tab" : "tabs"}` : "";
    return html`<button type="button" @click=${() => this.onAction(/** @type {any} */ (action))}>${ACTIONS[action]}${what}</button>`;
  }

  #owner() {
    const { name, colour } = this.view.tab.owner;
    return html`<div class="allowed">
      <span><span class="dot ${colour}" aria-hidden="true"></span> Opened by <b><bdi>${name}</bdi></b></span>
      <button type="button" class="plain" title="Let every agent use this tab" @click=${() => this.onAction("release")}>Free it</button>
    </div>`;
  }

  #access() {
    const { site, connected, tab, remembered, defaults, lasting, group } = this.view;
    if (connected && !this.editing) {
      return html`<div class="allowed">
        <span title=${grantText(tab.grant)}
          >Allowed: <b>${grantText(tab.grant, MOST_SITES)}</b>${tab.bond ? html`, ${lastingText(tab.bond)}` : ""}</span
        >
        <button type="button" class="plain" @click=${() => (this.editing = true)}>Change</button>
      </div>
      ${group && !tab.bond?.client ? this.#group(group, tab.group === group) : ""}`;
    }
    const offered = remembered ?? offer(site, defaults);
    return html`<div class="box">
      <k-grant
        .site=${site}
        .grant=${connected ? tab.grant : offered}
        .remembered=${remembered !== null}
        .clients=${lasting?.allowed ? lasting.clients : null}
        .group=${group ?? null}
        .forGroup=${connected && tab.group === group}
        @edit=${() => (this.touched = true)}
      ></k-grant>
      ${connected
        ? html`<div class="row">
            <button type="button" class="primary" ?disabled=${!this.touched} @click=${this.#apply}>Apply</button>
            <button type="button" @click=${this.#leave}>Cancel</button>
          </div>`
        : ""}
    </div>`;
  }

  /**
   * @param {string} group that the hub is in
   * @param {boolean} included whether the tab is for its agents too
   */
  #group(group, included) {
    return html`<div class="allowed">
      <span>For agents ${included ? html`on every machine of <b>${group}</b>` : html`on <b>this machine</b> only`}</span>
      <button type="button" class="plain" @click=${() => this.onGroup(included ? null : group)}>${included ? "Only here" : html`Also for ${group}`}</button>
    </div>`;
  }

  #apply() {
    const chosen = this.chosen();
    if (!chosen) return;
    this.#leave();
    this.onGrant("grant", chosen);
  }

  #leave() {
    this.#form?.settle();
    [this.editing, this.touched] = [false, false];
  }

  #facts() {
    const { tab } = this.view;
    const hub = [tab.address, tab.hubVersion].filter(Boolean).join(" · ");
    /** @type {[string, unknown][]} */
    const rows = [
      ["Tab id", html`<k-code .text=${tab.tabId}></k-code>`],
      ["Connected", tab.since ? html`<span class="number">for ${duration(Date.now() - tab.since)}</span>` : "–"],
      ["Messages", html`<span class="number">${tab.received.toLocaleString()} in, ${tab.sent.toLocaleString()} out</span>`],
      ["Last used by", lastUser(tab.activity)],
    ];
    if (!this.compact) rows.push(["Hub", html`<span class="mono">${hub || "–"}</span>`]);
    return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  }
}

/**
 * The grant offered for a new connection.
 * @param {string | null} site
 * @param {{defaultSites: string, defaultLevel: import("../../worker/gate/rules.js").Level}} [defaults]
 * @returns {Grant | null}
 */
function offer(site, defaults) {
  if (!defaults) return null;
  return { sites: [defaults.defaultSites === "any" || !site ? "*" : site], level: defaults.defaultLevel };
}

/**
 * The client of the last command, and its name.
 * @param {{client: string, command: string}[]} activity newest first
 */
function lastUser(activity) {
  const [last] = activity;
  return last ? html`<span><bdi>${last.client}</bdi> <span class="quiet mono">${last.command}</span></span>` : "nobody yet";
}

customElements.define("k-tab-details", TabDetails);
