/**
 * `<kc-heartbeat .live=${live} .tab=${tab}>`: how long ago the hub has heard from a tab. It follows what the hub says each second by
 * itself, so that the card around it is not drawn again for that.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { shared } from "../../ui/components/styles.js";
import { duration } from "../../ui/components/time_text.js";
import { Following } from "../../ui/components/observed.js";

const UNPINGED = new Set(["launch", "attach"]); // their browser says nothing while nothing happens
const LATE_MS = 15_000; // without a sign of life: a heartbeat was missed

export class Heartbeat extends LitElement {
  static properties = { live: { attribute: false }, tab: { attribute: false } };
  static styles = [
    shared,
    css`
      .late {
        color: var(--warn);
        font-weight: 600;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/live.js").Live} */
    this.live = /** @type {any} */ (undefined);
    /** @type {import("../../model/live.js").Tab} */
    this.tab = /** @type {any} */ (undefined);
    new Following(this, () => [this.live.heard]);
  }

  render() {
    const { tabId, backend } = this.tab;
    const at = this.live.heardAt[tabId];
    if (at === undefined) return html``;
    const ms = Math.max(0, Date.now() - at);
    const [pinged, ago] = [!UNPINGED.has(backend), duration(ms)];
    const late = pinged && ms > LATE_MS;
    const why = pinged ? "The hub pings it every 10 s." : "A launched or attached browser sends nothing while nothing happens.";
    const words = `Heartbeat: last heard ${ago} ago. ${why}`;
    return html`<span class="small number ${late ? "late" : "quiet"}" title=${words}>
      ${late ? "not responding, " : ""}<span aria-hidden="true">♥\uFE0E</span> ${ago}
    </span>`;
  }
}

customElements.define("kc-heartbeat", Heartbeat);
