/**
 * `<kc-checks .live=${live}>`: what `kapture doctor` finds, the worst first, and how it is mended.
 */

import { LitElement, html } from "../../ui/vendor/lit.js";
import "../../ui/components/card.js";
import "../../ui/components/prose.js";
import { controls, shared } from "../../ui/components/styles.js";
import { statusRows } from "./status_rows.js";

/** @typedef {{what: string, state: "ok" | "note" | "bad", detail: string, fix: string}} Finding */

const SIGNS = { ok: ["✓", "good"], note: ["!", "warn"], bad: ["✕", "bad"] };
const ORDER = { bad: 0, note: 1, ok: 2 };

export class Checks extends LitElement {
  static properties = { live: { attribute: false }, findings: { state: true }, problem: { state: true } };
  static styles = [shared, controls, statusRows];

  constructor() {
    super();
    /** @type {import("../../model/live.js").Live} */
    this.live = /** @type {any} */ (undefined);
    /** Null while they are looked for. @type {Finding[] | null} */
    this.findings = null;
    /** Why they could not be looked for. */
    this.problem = "";
  }

  connectedCallback() {
    super.connectedCallback();
    void this.#check();
  }

  render() {
    const { findings, problem } = this;
    return html`<k-card heading="Checks">
      <button slot="actions" type="button" class="plain" ?disabled=${!findings && !problem} @click=${this.#check}>Check again</button>
      ${problem ? html`<p class="bad" role="alert">${problem}</p>` : findings ? this.#found(findings) : html`<p class="quiet" role="status">Checking…</p>`}
    </k-card>`;
  }

  /** @param {Finding[]} findings */
  #found(findings) {
    return html`<ul>
      ${findings
        .toSorted((one, other) => ORDER[one.state] - ORDER[other.state])
        .map(({ what, state, detail, fix }) => {
          const [sign, tone] = SIGNS[state];
          return html`<li>
            <span class=${tone} role="img" aria-label=${state}>${sign}</span>
            <span><b>${what}</b> <span class="quiet">${detail}</span></span>
            ${fix ? html`<k-prose class="small" .text=${fix}></k-prose>` : ""}
          </li>`;
        })}
    </ul>`;
  }

  async #check() {
    this.findings = null;
    this.problem = "";
    try {
      this.findings = await this.live.ask("checks");
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    }
  }
}

customElements.define("kc-checks", Checks);
