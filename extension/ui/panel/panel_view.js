/**
 * `<k-panel>`: the frame of the DevTools panel: the connection beside the tabs where there is room, else as a tab of its own.
 *
 * Slots: `header` (state and switch), `questions` (what waits for an answer: always in view), `connection` (the card), and one
 * for each tab.
 */

import { shared } from "../components/styles.js";
import "../components/tabs.js";
import { LitElement, css, html } from "../vendor/lit.js";

const WIDE = 760;
const CONNECTION = { id: "connection", label: "Connection" };

export class PanelView extends LitElement {
  static properties = {
    tabs: { attribute: false },
    selected: {},
    onSelect: { attribute: false },
    wide: { type: Boolean, reflect: true },
  };
  static styles = [
    shared,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: auto auto minmax(0, 1fr);
        height: 100%;
      }
      .bar {
        padding: 5px 10px;
        border-bottom: 1px solid var(--line);
      }
      .questions {
        max-height: 55vh;
        overflow: auto;
      }
      ::slotted([slot="questions"]) {
        margin: 8px 10px;
      }
      .main {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        min-height: 0;
      }
      :host([wide]) .main {
        grid-template-columns: 290px minmax(0, 1fr);
      }
      aside {
        padding: 10px;
        overflow: auto;
        border-right: 1px solid var(--line);
      }
      .connection {
        padding: 10px;
      }
    `,
  ];

  constructor() {
    super();
    /** Without the connection. @type {import("../components/tabs.js").Tab[]} */
    this.tabs = [];
    this.selected = CONNECTION.id;
    /** @type {(id: string) => void} */
    this.onSelect = () => undefined;
    this.wide = false;
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new ResizeObserver(() => (this.wide = this.clientWidth >= WIDE));
    this.observer.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer?.disconnect();
  }

  render() {
    const tabs = this.wide ? this.tabs : [CONNECTION, ...this.tabs];
    const card = html`<slot name="connection"></slot>`;
    return html`<div class="bar"><slot name="header"></slot></div>
      <div class="questions"><slot name="questions"></slot></div>
      <div class="main">
        ${this.wide ? html`<aside aria-label="Connection">${card}</aside>` : ""}
        <k-tabs label="Kapture" .tabs=${tabs} .selected=${this.selected} .onSelect=${this.select}>
          ${this.wide ? "" : html`<div slot="connection" class="connection">${card}</div>`}
          ${this.tabs.map(({ id }) => html`<slot name=${id} slot=${id}></slot>`)}
        </k-tabs>
      </div>`;
  }

  /** Show a tab, as by a press on it. */
  select = (/** @type {string} */ id) => {
    this.selected = id;
    this.onSelect(id);
  };
}

customElements.define("k-panel", PanelView);
