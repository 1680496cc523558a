/**
 * `<kc-picture .live=${live} tab-id="…">`: the live picture of a tab, drawn as it comes; or why there is none.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { shared } from "../../ui/components/styles.js";

/** @typedef {import("../../model/pictures.js").Picture} Picture */

export class LivePicture extends LitElement {
  static properties = {
    live: { attribute: false },
    tabId: { attribute: "tab-id" },
    label: {},
    fit: { reflect: true },
    withheld: { state: true },
    drawn: { state: true },
  };
  static styles = [
    shared,
    css`
      :host {
        position: relative;
        display: grid;
        place-items: center;
        overflow: hidden;
        background: var(--raised);
      }
      canvas {
        position: absolute;
        inset: 0;
        display: block;
        width: 100%;
        height: 100%;
        object-fit: contain;
        object-position: top;
      }
      :host([fit="middle"]) canvas {
        object-position: center;
      }
      p {
        position: absolute;
        inset: 0;
        display: grid;
        place-items: center;
        padding: 16px;
        background: var(--raised);
        color: var(--quiet);
        text-align: center;
        text-wrap: balance;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/live.js").Live} */
    this.live = /** @type {any} */ (undefined);
    this.tabId = "";
    this.label = "";
    this.fit = "";
    this.withheld = "";
    this.drawn = false;
    /** @type {Picture | null} */
    this.picture = null;
    /** @type {() => void} */
    this.end = () => undefined;
  }

  render() {
    return html`<canvas role="img" aria-label=${this.label} width="480" height="300"></canvas>
      ${this.withheld || !this.drawn ? html`<p class="small">${this.withheld || "Waiting for the picture…"}</p>` : ""}`;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has("tabId") || changed.has("live")) this.#follow();
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.hasUpdated) this.#follow();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.end();
    this.picture = null;
  }

  /**
   * Where a place of the canvas lies in the tab's viewport, in CSS pixels; null where there is no picture.
   * @param {MouseEvent} event
   */
  pointOf(event) {
    const canvas = /** @type {HTMLCanvasElement} */ (this.renderRoot.querySelector("canvas"));
    const box = canvas.getBoundingClientRect();
    if (!this.picture || !this.drawn || box.width === 0) return null;
    const scale = Math.min(box.width / canvas.width, box.height / canvas.height);
    const [width, height] = [canvas.width * scale, canvas.height * scale];
    const top = this.fit === "middle" ? box.top + (box.height - height) / 2 : box.top;
    const [x, y] = [(event.clientX - box.left - (box.width - width) / 2) / width, (event.clientY - top) / height];
    if (x < 0 || y < 0 || x > 1 || y > 1) return null;
    return { x: Math.round(x * this.picture.width), y: Math.round(y * this.picture.height) };
  }

  #follow() {
    this.end();
    this.picture = null;
    this.drawn = false;
    this.withheld = "";
    this.end = this.live.pictures.follow(this.tabId, (picture) => this.#show(picture));
  }

  /** @param {Picture} picture */
  async #show(picture) {
    this.picture = picture;
    this.withheld = picture.withheld;
    if (!picture.jpeg) return this.#clear();
    const bitmap = await createImageBitmap(picture.jpeg).catch(() => null); // not a picture: the one before stays until the next
    if (!bitmap) return;
    const canvas = this.#canvas;
    if (this.picture !== picture || !canvas) return bitmap.close();
    const { width, height } = bitmap;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
    this.drawn = true;
  }

  /** Nothing is left of the last picture. */
  #clear() {
    const canvas = this.#canvas;
    if (!canvas) return;
    canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(null);
    canvas.width = canvas.height = 1;
    this.drawn = false;
  }

  get #canvas() {
    return /** @type {HTMLCanvasElement | null} */ (this.renderRoot.querySelector("canvas"));
  }
}

customElements.define("kc-picture", LivePicture);
