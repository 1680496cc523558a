/**
 * `<k-shares .shares=${shares} .onEnd=${(name) => …}>`: the other machines and containers whose agents may use this browser,
 * each with its limits, who is there, and its End: in the popup and the Console.
 */

import { LEVELS } from "./access_levels.js";
import { listed } from "./grant_text.js";
import { controls, shared } from "./styles.js";
import { moment } from "./time_text.js";
import { LitElement, css, html } from "../vendor/lit.js";

const MOST = 4;

/** @typedef {{name: string, level: string, sites: string[] | null, only: string[] | null, since: number, clients: string[]}} Share `since`: ms since the epoch */

/** What its agents may do, at most. @param {Share} share */
export function shareText({ level, sites, only }) {
  const name = LEVELS.find(([value]) => value === level)?.[1] ?? level;
  return `${name} at most${sites ? `, on ${listed(sites, MOST)}` : ""}${only ? `, for ${listed(only, MOST)} alone` : ""}`;
}

export class ShareList extends LitElement {
  static properties = { shares: { attribute: false }, onEnd: { attribute: false } };
  static styles = [
    shared,
    controls,
    css`
      li {
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 8px;
        padding: 4px 0;
      }
      li + li {
        border-top: 1px solid var(--line);
      }
      span {
        min-width: 0;
        overflow-wrap: anywhere;
      }
      button {
        flex: none;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Share[]} */
    this.shares = [];
    /** @type {(name: string) => void} */
    this.onEnd = () => {};
  }

  render() {
    return html`<ul>
      ${this.shares.map(
        (share) => html`<li>
          <span
            ><b>${share.name}</b> <span class="small">${shareText(share)}</span><br /><span class="quiet small"
              ><bdi>${listed(share.clients, MOST) || "Nobody is there"}</bdi>, since ${moment(share.since)}</span
            ></span
          >
          <button type="button" aria-label="End the share ${share.name}" @click=${() => this.onEnd(share.name)}>End</button>
        </li>`,
      )}
    </ul>`;
  }
}

customElements.define("k-shares", ShareList);
