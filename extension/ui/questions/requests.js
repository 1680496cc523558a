/**
 * `<k-requests .requests=${requests} .tabs=${tabs} …>`: clients that ask the person for a tab: which tab, for what; or to
 * change what is allowed on one that is connected.
 */

import { controls, shared } from "../components/styles.js";
import "../grant_form.js";
import { Guards } from "../components/guard.js";
import { LitElement, css, html, keyed } from "../vendor/lit.js";
import { openPort } from "../worker_port.js";
import { siteOf } from "../../worker/gate/sites.js";

/** @typedef {import("../../worker/views/tab_requests.js").TabRequest} TabRequest */
/** @typedef {import("../../worker/gate/access.js").Grant} Grant */
/** @typedef {{chromeTabId: number, title: string, url: string, site: string | null, active: boolean}} Choice */

const TICK_MS = 1_000;
const NEW_TAB = "new";

export class Requests extends LitElement {
  static properties = {
    requests: { attribute: false },
    tabs: { attribute: false },
    lasting: { type: Boolean },
    group: { attribute: false },
    problem: {},
    onGive: { attribute: false },
    onDeny: { attribute: false },
    chosen: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      section {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 10px;
        padding: 10px 12px;
        border: 1px solid var(--ask);
        border-radius: var(--radius);
        overflow-wrap: anywhere;
      }
      h2 {
        color: var(--text);
        font-size: var(--size);
      }
      blockquote {
        margin: 0;
        padding-left: 10px;
        border-left: 3px solid var(--ask);
      }
      .tab {
        display: grid;
        gap: 4px;
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 8px;
      }
      .number {
        margin-left: auto;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {TabRequest[]} */
    this.requests = [];
    /** @type {Choice[]} */
    this.tabs = [];
    /** Whether the person may allow more than one tab. */
    this.lasting = false;
    /** The group that the hub is in. @type {string | null} */
    this.group = null;
    this.problem = "";
    /** @type {(id: string, choice: {chromeTabId: number | null, grant: Grant, site: string | null, remember: boolean, group?: string | null, lasting?: object}) => void} */
    this.onGive = () => {};
    /** @type {(id: string) => void} */
    this.onDeny = () => {};
    /** The choice in the list; "": the first. */
    this.chosen = "";
    this.guards = new Guards(this);
    this.appeared = this.guards.appeared;
    this.shown = "";
    /** The tab that Connect gave when this was rendered last. */
    this.meant = "";
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticking = undefined;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.ticking);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const [request] = this.requests;
    const id = request?.id ?? "";
    const byPerson = changed.has("chosen");
    const another = id !== this.shown;
    if (another) {
      [this.shown, this.chosen, this.problem] = [id, "", ""];
      clearInterval(this.ticking);
      this.ticking = id ? setInterval(() => this.requestUpdate(), TICK_MS) : undefined;
      this.guards.keep(id ? [id] : []);
    }
    const meant = request ? this.#choice(request) : "";
    // A tab that takes the place of another, as when that is closed, is read before it is given.
    if (!another && meant !== this.meant && !byPerson) this.appeared();
    this.meant = meant;
  }

  render() {
    const [request, ...more] = this.requests;
    if (!request) return "";
    const { expiresAt } = request;
    const left = Math.max(0, Math.ceil((expiresAt - Date.now()) / 1_000));
    return html`<section aria-label=${request.about ? "A client asks about a tab" : "A client asks for a tab"}>
      ${request.about ? this.#aboutTab(request, request.about) : this.#forTab(request)}
      <p class="bad small" role="alert" ?hidden=${!this.problem}>${this.problem}</p>
      <div class="row">
        ${request.about ? this.#answers(request, "Leave as it is", "Allow this") : this.#answers(request, "Deny", "Connect")}
        <span class="quiet small number" role="timer">${left} s</span>
      </div>
      ${more.length > 0 ? html`<p class="small">${more.length} more after this.</p>` : ""}
    </section>`;
  }

  /**
   * @param {TabRequest} request
   * @param {NonNullable<TabRequest["about"]>} about
   */
  #aboutTab(request, { chromeTabId, grant }) {
    const tab = this.tabs.find((one) => one.chromeTabId === chromeTabId);
    return html`<h2><bdi>${request.client || "A client"}</bdi> asks you to change what is allowed on a tab</h2>
      <p><b dir="auto">${tab?.title || "Untitled"}</b><br /><span class="quiet small">${tab?.url ?? ""}</span></p>
      ${this.#form(request, tab?.site ?? null, grant)}`;
  }

  /** @param {TabRequest} request */
  #forTab(request) {
    const { client, reason, url, sites, level } = request;
    const chosen = this.#choice(request);
    const site = this.#site(request);
    const grant = { sites: sites.length > 0 ? sites : [site ?? "*"], level: level ?? "interact" };
    return html`<h2><bdi>${client || "A client"}</bdi> asks for a tab</h2>
      <blockquote dir="auto">${reason}</blockquote>
      <div class="tab">
        <label for="tab">Connect</label>
        <select id="tab" .value=${chosen} @change=${(/** @type {any} */ { target }) => (this.chosen = target.value)}>
          ${chosen ? "" : html`<option value="">No tab yet: open a page in one</option>`}
          ${url ? html`<option value=${NEW_TAB} ?selected=${chosen === NEW_TAB}>A new tab: ${url}</option>` : ""}
          ${this.tabs.map(
            ({ chromeTabId, title, url: shown, active }) =>
              html`<option value=${chromeTabId} ?selected=${chosen === String(chromeTabId)}>
                ${active ? "This tab: " : ""}${title || shown || "Untitled"}
              </option>`,
          )}
        </select>
      </div>
      ${this.#form(request, site, grant)}`;
  }

  /**
   * The form of one request: what the person chose in it holds for no other.
   * @param {TabRequest} request
   * @param {string | null} site
   * @param {Grant} grant
   */
  #form({ id, name, about }, site, grant) {
    const { group } = this;
    const clients = this.lasting ? [name].filter(Boolean) : null;
    const forGroup = group !== null && about?.group === group;
    return keyed(id, html`<k-grant .site=${site} .grant=${grant} .clients=${clients} .group=${group} .forGroup=${forGroup}></k-grant>`);
  }

  /**
   * @param {TabRequest} request
   * @param {string} no
   * @param {string} yes
   */
  #answers(request, no, yes) {
    const { id, giving, about } = request;
    const missing = !this.#choice(request);
    return html`${this.guards.button(id, no, about ? "" : "danger", () => this.onDeny(id), giving !== null)}
    ${this.guards.button(id, giving === null ? yes : "Connecting…", "primary", () => this.#give(request), giving !== null || missing)}`;
  }

  /** The site of the tab that is meant. @param {TabRequest} request */
  #site(request) {
    const chosen = this.#choice(request);
    if (chosen === NEW_TAB) return siteOf(request.url ?? "");
    return this.tabs.find((tab) => String(tab.chromeTabId) === chosen)?.site ?? null;
  }

  /** The tab that Connect gives: the chosen one while it is offered, else the first. @param {TabRequest} request */
  #choice({ url, about }) {
    if (about) return String(about.chromeTabId);
    const offered = [...(url ? [NEW_TAB] : []), ...this.tabs.map(({ chromeTabId }) => String(chromeTabId))];
    return offered.includes(this.chosen) ? this.chosen : (offered[0] ?? "");
  }

  /** @param {TabRequest} request */
  #give(request) {
    const form = /** @type {import("../grant_form.js").GrantForm} */ (this.renderRoot.querySelector("k-grant"));
    const chosen = form.read();
    const tab = this.#choice(request);
    if (chosen) this.onGive(request.id, { chromeTabId: tab === NEW_TAB ? null : Number(tab), site: this.#site(request), ...chosen });
  }
}

customElements.define("k-requests", Requests);

/** The element, with the worker behind it. */
export class RequestsView {
  /** @param {(open: number) => void} [onChange] called with how many requests are open */
  constructor(onChange) {
    this.element = /** @type {Requests} */ (document.createElement("k-requests"));
    this.element.hidden = true;
    this.element.onGive = (id, choice) => this.send({ do: "give", id, ...choice });
    this.element.onDeny = (id) => this.send({ do: "deny", id });
    this.send = openPort("requests", (message) => {
      if (message.type === "raised") {
        this.element.appeared();
        return;
      }
      if (message.type === "problem") {
        this.element.problem = message.message;
        return;
      }
      this.element.requests = message.requests;
      this.element.tabs = message.tabs;
      this.element.lasting = message.lasting === true;
      this.element.group = message.group ?? null;
      this.element.hidden = message.requests.length === 0;
      onChange?.(message.requests.length);
    });
  }
}
