/**
 * A virtual list with rows of one height: only rows in view are in the DOM, so thousands stay responsive.
 *
 *     <k-list label="Requests" .items=${requests} .row=${(item, index) => html`…`} .onSelect=${(index) => …}></k-list>
 *
 * With `onSelect` it is a listbox: arrows, Page Up and Down, Home, End; Enter and double click call `onOpen`. `follow` keeps
 * the end in view while the person has not scrolled away from it. `rowStyles` is what `css` makes for the content of rows, and of
 * `head`, which names their columns above them.
 */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { controls, shared } from "./styles.js";

const MARGIN = 8; // rows beyond the edges, so that scrolling shows no gap

export class List extends LitElement {
  static properties = {
    items: { attribute: false },
    row: { attribute: false },
    head: { attribute: false },
    rowHeight: { type: Number, attribute: "row-height" },
    label: {},
    selected: { type: Number },
    follow: { type: Boolean },
    rowStyles: { attribute: false },
    onSelect: { attribute: false },
    onOpen: { attribute: false },
    top: { state: true },
    height: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      .scroller {
        position: relative;
        flex: 1;
        min-height: 0;
        overflow: auto;
        overflow-anchor: none;
      }
      .head,
      .head + .scroller {
        scrollbar-gutter: stable;
      }
      .head {
        flex: none;
        min-height: 24px;
        border-bottom: 1px solid var(--line);
        background: var(--raised);
        color: var(--quiet);
        font-size: var(--small);
      }
      .head > * {
        font: inherit;
      }
      .head,
      .row {
        display: flex;
        align-items: center;
        gap: 8px;
        padding: 0 10px;
        overflow: hidden;
        white-space: nowrap;
      }
      .row {
        position: absolute;
        left: 0;
        right: 0;
        border-bottom: 1px solid color-mix(in srgb, var(--line) 55%, transparent);
      }
      [role="option"] {
        cursor: default;
      }
      [role="option"]:hover {
        background: var(--hover);
      }
      [role="option"][aria-selected="true"] {
        background: var(--selected);
      }
      .scroller:focus-visible {
        outline-offset: -2px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {any[]} */
    this.items = [];
    /** @type {(item: any, index: number) => unknown} */
    this.row = String;
    /** The names of the columns. @type {unknown} */
    this.head = null;
    this.rowHeight = 24;
    this.label = "";
    this.selected = -1;
    this.follow = false;
    /** Styles for what is in the rows. @type {import("../vendor/lit.js").CSSResult | null} */
    this.rowStyles = null;
    /** @type {((index: number) => void) | null} */
    this.onSelect = null;
    /** @type {((index: number) => void) | null} */
    this.onOpen = null;
    this.top = 0;
    this.height = 400;
    this.atEnd = true;
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new ResizeObserver(() => this.#measure());
    this.observer.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer?.disconnect();
  }

  render() {
    const { items, rowHeight, selected, onSelect } = this;
    const first = Math.max(0, Math.floor(this.top / rowHeight) - MARGIN);
    const last = Math.min(items.length, Math.ceil((this.top + this.height) / rowHeight) + MARGIN);
    const shown = items.slice(first, last).map((item, offset) => this.#row(item, first + offset));
    return html`${this.head ? html`<div class="head" aria-hidden="true">${this.head}</div>` : ""}<div
      class="scroller"
      role=${onSelect ? "listbox" : "list"}
      aria-label=${this.label}
      aria-activedescendant=${onSelect && selected >= first && selected < last ? `row-${selected}` : nothing}
      tabindex="0"
      @scroll=${this.#scrolled}
      @keydown=${this.#key}
    >
      <div role="presentation" .style=${`height: ${items.length * rowHeight}px`}></div>
      ${shown}
    </div>`;
  }

  /**
   * @param {any} item
   * @param {number} index
   */
  #row(item, index) {
    const chosen = this.onSelect ? String(index === this.selected) : nothing;
    return html`<div
      class="row"
      id="row-${index}"
      role=${this.onSelect ? "option" : "listitem"}
      aria-selected=${chosen}
      aria-setsize=${this.items.length}
      aria-posinset=${index + 1}
      .style=${`top: ${index * this.rowHeight}px; height: ${this.rowHeight}px`}
      @click=${() => this.select(index)}
      @dblclick=${() => this.onOpen?.(index)}
    >
      ${this.row(item, index)}
    </div>`;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    // Adopted, because a style element would need 'unsafe-inline' in the content security policy.
    const sheet = changed.has("rowStyles") && this.rowStyles?.styleSheet;
    if (sheet && this.shadowRoot) this.shadowRoot.adoptedStyleSheets = [...this.shadowRoot.adoptedStyleSheets, sheet];
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const scroller = this.#scroller();
    if (!scroller) return;
    if (this.follow && this.atEnd && changed.has("items")) {
      scroller.scrollTop = this.items.length * this.rowHeight;
      this.top = scroller.scrollTop;
    }
  }

  /** @param {number} index */
  select(index) {
    if (!this.onSelect || index < 0 || index >= this.items.length) return;
    this.selected = index;
    this.#reveal(index);
    this.onSelect(index);
  }

  #scroller() {
    return /** @type {HTMLElement | null} */ (this.renderRoot?.querySelector(".scroller"));
  }

  #measure() {
    const scroller = this.#scroller();
    this.height = scroller?.clientHeight || this.height;
    if (scroller && this.follow && this.atEnd) scroller.scrollTop = scroller.scrollHeight;
  }

  #scrolled() {
    const scroller = /** @type {HTMLElement} */ (this.#scroller());
    this.top = scroller.scrollTop;
    this.atEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - this.rowHeight;
  }

  /** @param {number} index */
  #reveal(index) {
    const scroller = this.#scroller();
    if (!scroller) return;
    const at = index * this.rowHeight;
    if (at < scroller.scrollTop) scroller.scrollTop = at;
    else if (at + this.rowHeight > scroller.scrollTop + this.height) scroller.scrollTop = at + this.rowHeight - this.height;
    this.top = scroller.scrollTop;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.onSelect) return; // the browser scrolls
    const page = Math.max(1, Math.floor(this.height / this.rowHeight) - 1);
    const last = this.items.length - 1;
    const to = /** @type {Record<string, number>} */ ({
      ArrowDown: this.selected + 1,
      ArrowUp: this.selected < 0 ? last : this.selected - 1,
      PageDown: this.selected + page,
      PageUp: this.selected - page,
      Home: 0,
      End: last,
    })[event.key];
    if (event.key === "Enter" && this.selected >= 0 && this.onOpen) {
      event.preventDefault();
      this.onOpen(this.selected);
    } else if (to !== undefined) {
      event.preventDefault();
      this.select(Math.min(last, Math.max(0, to)));
    }
  }
}

customElements.define("k-list", List);
