/**
 * `<k-standing .grants=${grants} .onRevoke=${(id) => …}>`: standing grants, each with sites, level, client and end, and its
 * Revoke: in the options, the popup and the Console.
 */

import { controls, shared } from "./styles.js";
import { grantText } from "./grant_text.js";
import { LitElement, css, html } from "../vendor/lit.js";

/**
 * For whom, and until when.
 * @param {{client: string | null, until: number | null, group?: string | null}} standing
 */
export function lastingText({ client, until, group }) {
  const day = until === null ? "" : new Date(until).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const whose = client === null ? `every client of this machine${group ? ` and of the group ${group}` : ""}` : `only ${client}`;
  return `${whose}, ${until === null ? "until revoked" : `until ${day}`}`;
}

export class StandingList extends LitElement {
  static properties = { grants: { attribute: false }, onRevoke: { attribute: false } };
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
    /** @type {{id: string, sites: string[], level: string, client: string | null, until: number | null, group?: string | null, browser?: string}[]} */
    this.grants = [];
    /** @type {(id: string) => void} */
    this.onRevoke = () => {};
  }

  render() {
    return html`<ul>
      ${this.grants.map(
        (grant) => html`<li>
          <span
            ><b>${grantText(grant, 4)}</b><br /><span class="quiet small"
              ><bdi>${lastingText(grant)}</bdi>${grant.browser ? `, in ${grant.browser}` : ""}</span
            ></span
          >
          <button type="button" aria-label="Revoke ${grantText(grant, 4)}" @click=${() => this.onRevoke(grant.id)}>Revoke</button>
        </li>`,
      )}
    </ul>`;
  }
}

customElements.define("k-standing", StandingList);
