/**
 * `<k-json .value=${answer}></k-json>`: a JSON value as a tree that is made as far as it is expanded.
 *
 * Keyboard after the ARIA tree pattern; Ctrl+C or Copy copies the selected value.
 */

import { LitElement, css, html, nothing, repeat } from "../../vendor/lit.js";
import { copyText } from "../clipboard.js";
import { preview, visibleNodes } from "./json_nodes.js";
import { controls, shared } from "../styles.js";

/** @typedef {import("./json_nodes.js").JsonNode} JsonNode */

const LONG = 2_000; // characters of a string that a row shows

export class JsonTree extends LitElement {
  static properties = {
    value: { attribute: false },
    label: {},
    copy: { attribute: false },
    expanded: { state: true },
    current: { state: true },
  };
  static styles = [
    shared,
    controls,
    css`
      :host {
        font-family: var(--mono);
        font-size: 0.93em;
      }
      [role="treeitem"] {
        position: relative;
        display: flex;
        align-items: start;
        gap: 4px;
        min-height: 20px;
        padding: 1px 6px 1px calc((var(--level) - 1) * 14px + 2px);
        border-radius: 4px;
        cursor: default;
      }
      [role="treeitem"]:hover {
        background: var(--hover);
      }
      [role="treeitem"]:focus {
        background: var(--selected);
      }
      .twisty {
        flex: none;
        width: 12px;
        height: 18px;
        color: var(--quiet);
      }
      .twisty.can::before {
        content: "";
        display: inline-block;
        margin: 5px 3px;
        border: 4px solid transparent;
        border-left-color: currentColor;
        border-right-width: 0;
      }
      [aria-expanded="true"] > .twisty::before {
        rotate: 90deg;
      }
      .text {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }
      .key {
        color: var(--syntax-key);
      }
      .string {
        color: var(--syntax-string);
      }
      .number {
        color: var(--syntax-number);
      }
      .boolean,
      .null {
        color: var(--syntax-keyword);
      }
      .object,
      .array {
        color: var(--quiet);
      }
      button.plain {
        position: absolute;
        inset: 0 2px auto auto;
        min-height: 20px;
        padding: 0 6px;
        background: var(--ground);
        font: var(--small) var(--font);
        visibility: hidden;
      }
      [role="treeitem"]:is(:hover, :focus-within) button {
        visibility: visible;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {unknown} */
    this.value = null;
    this.label = "Data";
    this.copy = copyText;
    /** @type {Set<string>} */
    this.expanded = new Set(["$"]);
    this.current = "$";
  }

  render() {
    const rows = visibleNodes(this.value, this.expanded);
    if (!rows.some(({ path }) => path === this.current)) this.current = "$";
    return html`<div role="tree" aria-label=${this.label} @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event, rows)}>
      ${repeat(
        rows,
        ({ path }) => path,
        (node) => this.#row(node),
      )}
    </div>`;
  }

  /** @param {JsonNode} node */
  #row(node) {
    const { path, key, value, level, expandable, expanded, position, siblings, kind } = node;
    const text = preview(value, kind);
    return html`<div
      role="treeitem"
      data-path=${path}
      aria-level=${level}
      aria-posinset=${position}
      aria-setsize=${siblings}
      aria-expanded=${expandable ? String(expanded) : nothing}
      aria-selected=${String(path === this.current)}
      tabindex=${path === this.current ? 0 : -1}
      .style=${`--level: ${level}`}
      @focus=${() => (this.current = path)}
      @click=${() => expandable && this.#toggle(node)}
    >
      <span class="twisty ${expandable ? "can" : ""}"></span>
      <span class="text"
        >${key === "" ? "" : html`<span class="key">${key}</span>${kind === "group" ? "" : ": "}`}<span class=${kind}
          >${text.length > LONG ? `${text.slice(0, LONG)}… (${text.length} characters)` : text}</span
        ></span
      >
      <button type="button" class="plain" tabindex="-1" aria-hidden="true" @click=${(/** @type {Event} */ event) => this.#copyFrom(event, node)}>Copy</button>
    </div>`;
  }

  /**
   * @param {Event} event
   * @param {JsonNode} node
   */
  #copyFrom(event, node) {
    event.stopPropagation();
    this.#copy(node);
  }

  /** @param {JsonNode} node */
  #copy({ value, kind }) {
    const whole = kind === "group" ? Object.fromEntries(/** @type {any} */ (value)) : value;
    this.copy(typeof whole === "string" ? whole : JSON.stringify(whole, null, 2));
  }

  /**
   * @param {JsonNode} node
   * @param {boolean} [open]
   */
  #toggle({ path, expanded }, open = !expanded) {
    const next = new Set(this.expanded);
    if (open) next.add(path);
    else next.delete(path);
    this.expanded = next;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {JsonNode[]} rows
   */
  #key(event, rows) {
    const at = rows.findIndex(({ path }) => path === this.current);
    const node = rows[at];
    let to = at;
    if (event.key === "ArrowDown") to = at + 1;
    else if (event.key === "ArrowUp") to = at - 1;
    else if (event.key === "Home") to = 0;
    else if (event.key === "End") to = rows.length - 1;
    else if (event.key === "ArrowRight" && node.expandable) {
      if (node.expanded) to = at + 1;
      else this.#toggle(node, true);
    } else if (event.key === "ArrowLeft") {
      if (node.expanded) this.#toggle(node, false);
      else to = rows.findLastIndex(({ level }, index) => index < at && level === node.level - 1);
    } else if ((event.key === "Enter" || event.key === " ") && node.expandable) this.#toggle(node);
    else if (event.key === "c" && (event.ctrlKey || event.metaKey) && !document.getSelection()?.toString()) this.#copy(node);
    else return;
    event.preventDefault();
    if (rows[to] && to !== at) void this.#focus(rows[to].path);
  }

  /** @param {string} path */
  async #focus(path) {
    this.current = path;
    await this.updateComplete;
    /** @type {HTMLElement | undefined} */ (
      [.../** @type {any} */ (this.renderRoot.querySelectorAll("[data-path]"))].find((row) => row.dataset.path === path)
    )?.focus();
  }
}

customElements.define("k-json", JsonTree);
