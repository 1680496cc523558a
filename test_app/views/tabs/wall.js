/**
 * `<kc-wall>`: every tab as a card with its live picture. Pictures are asked for only of the cards in view.
 */

import { LitElement, css, html, repeat } from "../../ui/vendor/lit.js";
import "../../ui/components/badge.js";
import { searchField } from "../../ui/components/logs/search_field.js";
import { controls, shared } from "../../ui/components/styles.js";
import { firstSteps } from "../../model/first_steps.js";
import { Following } from "../../ui/components/observed.js";
import "./tab_card.js";

/** @typedef {import("../../model/live.js").Tab} Tab */

const MANY = 12; // tabs: more than that can be searched
const ORDERS = /** @type {[string, string][]} */ ([["connected", "As connected"], ["busy", "Busiest first"], ["site", "By site"]]);

export class Wall extends LitElement {
  static properties = { app: { attribute: false }, search: { state: true }, order: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        height: 100%;
        overflow: auto;
      }
      .bar {
        display: flex;
        gap: 8px;
        padding: 10px 14px 0;
      }
      .bar input {
        max-width: 320px;
      }
      .bar select {
        width: auto;
      }
      .steps {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 14px;
        margin: 14px 14px 0;
        padding: 8px 10px 8px 14px;
        border: 1px solid var(--line);
        border-radius: 10px;
        background: var(--raised);
      }
      .steps ol {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 6px 20px;
      }
      .steps li {
        display: flex;
        align-items: center;
        gap: 7px;
        min-height: 28px;
      }
      .sign {
        color: var(--quiet);
        font-weight: 650;
      }
      .done .sign {
        color: var(--good);
      }
      ul {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(264px, 100%), 1fr));
        gap: 14px;
        padding: 14px;
      }
      ul > li {
        min-width: 0;
        min-height: var(--card-height, 230px);
      }
      :host(.few) ul {
        grid-template-columns: repeat(auto-fill, minmax(min(max(340px, 23vw), 100%), 1fr));
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    this.search = "";
    this.order = "connected";
    /** @type {Set<string>} */
    this.inView = new Set();
    this.observer = new IntersectionObserver((entries) => this.#seen(entries), { root: this, rootMargin: "60px" });
    /** @type {WeakSet<Element>} */
    this.observed = new WeakSet();
    new Following(this, () => [this.app]);
  }

  connectedCallback() {
    super.connectedCallback();
    this.onVisibility = () => this.#watch();
    document.addEventListener("visibilitychange", this.onVisibility);
    this.sizes = new ResizeObserver(() => this.#watch());
    this.sizes.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    if (this.onVisibility) document.removeEventListener("visibilitychange", this.onVisibility);
    this.observer.disconnect();
    this.sizes?.disconnect();
    this.observed = new WeakSet();
    this.inView.clear();
    if (this.#allDone()) this.app.beginning = false;
    if (!this.app.stage) this.app.live.watch([]);
  }

  render() {
    const { live } = this.app;
    this.classList.toggle("few", live.tabs.size <= 6);
    return html`${this.app.beginning ? this.#firstSteps() : ""}
      ${live.tabs.size > MANY
        ? html`<div class="bar">
            ${searchField(this, "Search the tabs", `Search ${live.tabs.size} tabs`)}
            <select aria-label="Order" @change=${(/** @type {any} */ { target }) => (this.order = target.value)}>
              ${ORDERS.map(([order, label]) => html`<option value=${order} .selected=${order === this.order}>${label}</option>`)}
            </select>
          </div>`
        : ""}
      ${this.#hold()}
      <ul aria-label="Connected tabs">
        ${repeat(
          this.#tabs(),
          ({ tabId }) => tabId,
          (tab) => html`<li data-tab=${tab.tabId}>${this.inView.has(tab.tabId) ? html`<kc-tab-card .app=${this.app} .tab=${tab}></kc-tab-card>` : ""}</li>`,
        )}
      </ul>`;
  }

  updated() {
    // Where there is no card now, its place is as high as one.
    const card = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("kc-tab-card"));
    if (card?.offsetHeight) this.style.setProperty("--card-height", `${card.offsetHeight}px`);
    for (const place of this.renderRoot.querySelectorAll("ul > li")) {
      if (this.observed.has(place)) continue;
      this.observed.add(place);
      this.observer.observe(place);
    }
    this.#watch();
  }

  /** The steps of the empty Console, of which the last ones are done from here on. */
  #firstSteps() {
    const { app } = this;
    const tabId = app.tabId || [...app.live.tabs.keys()][0];
    return html`<section class="steps" aria-label="First steps">
      <ol>
        ${firstSteps(app.live).map(
          ({ title, done }, at) =>
            html`<li class=${done ? "done" : ""}>
              <span class="sign" role="img" aria-label=${done ? "Done" : "To do"}>${done ? "✓" : at + 1}</span>
              ${done ? title : html`<button type="button" class="primary" @click=${() => app.set({ tabId, view: "commands" })}>${title}…</button>`}
            </li>`,
        )}
      </ol>
      <button type="button" class="plain" @click=${() => app.set({ beginning: false })}>Close</button>
    </section>`;
  }

  /** Pause all and Stop all; Resume all, where that was done. */
  #hold() {
    const { live } = this.app;
    if (live.tabs.size === 0) return "";
    const act = (/** @type {"pause" | "stop" | "resume"} */ what) => () => live.act(what, "").catch(() => {}); // the connection is gone, and says so
    return html`<div class="bar" role="group" aria-label="All agents, on every tab">
      ${live.hub?.paused
        ? html`<k-badge tone="warn" dot>All agents are paused</k-badge><button type="button" class="primary" @click=${act("resume")}>Resume all</button>`
        : html`<button type="button" title="Refuse what any agent asks for, on every tab, until you resume" @click=${act("pause")}>Pause all</button>
            <button type="button" class="danger" title="The same, and end what runs now" @click=${act("stop")}>Stop all</button>`}
    </div>`;
  }

  #allDone() {
    return firstSteps(this.app.live).every(({ done }) => done);
  }

  #tabs() {
    const { live } = this.app;
    const words = this.search.toLowerCase();
    const tabs = [...live.tabs.values()].filter(({ title, url }) => !words || `${title} ${url}`.toLowerCase().includes(words));
    if (this.order === "site") return tabs.toSorted((one, other) => one.url.localeCompare(other.url));
    if (this.order !== "busy") return tabs;
    const weight = (/** @type {Tab} */ { tabId }) => {
      const { running, waiting, lastAt } = live.calls.load(tabId);
      return (running.length + waiting) * 1e15 + lastAt;
    };
    return tabs.toSorted((one, other) => weight(other) - weight(one));
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const tabId = /** @type {HTMLElement} */ (target).dataset.tab ?? "";
      if (isIntersecting) this.inView.add(tabId);
      else this.inView.delete(tabId);
    }
    this.requestUpdate(); // only the cards in view exist
  }

  #watch() {
    const { live, stage } = this.app;
    if (stage || !this.isConnected) return; // the stage has its own
    const shown = document.visibilityState === "visible" ? [...live.tabs.keys()].filter((tabId) => this.inView.has(tabId)) : [];
    const card = this.renderRoot.querySelector("kc-tab-card");
    live.watch(shown, card ? { width: card.clientWidth * devicePixelRatio } : {});
  }
}

customElements.define("kc-wall", Wall);
