/**
 * `<kc-comparison .earlier=${run} .later=${run}>`: two runs and what is different: parameters, time, answer line by line.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/list.js";
import { controls, shared } from "../../ui/components/styles.js";
import { milliseconds, moment } from "../../ui/components/time_text.js";
import { compare, comparedText } from "../../model/compare.js";
import { short } from "../../model/names.js";

/** @typedef {import("../../model/history.js").Run} Run */
/** @typedef {import("../../model/compare.js").Line} Line */

const SIDES = css`
  .added {
    color: var(--good);
  }
  .removed {
    color: var(--bad);
  }
`;
const ROW = css`
  .line {
    flex: 1;
    font-family: var(--mono);
    font-size: 0.93em;
    white-space: pre;
  }
  .mark {
    flex: none;
    width: 12px;
    font-family: var(--mono);
  }
  ${SIDES}
`;

export class Comparison extends LitElement {
  static properties = { earlier: { attribute: false }, later: { attribute: false }, onClose: { attribute: false } };
  static styles = [
    shared,
    controls,
    SIDES,
    css`
      dialog {
        display: grid;
        grid-template-rows: auto auto minmax(0, 1fr);
        gap: 8px;
        width: min(1100px, 94vw);
        height: min(760px, 90vh);
        padding: 14px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--ground);
        color: var(--text);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 45%);
      }
      .head {
        display: flex;
        justify-content: space-between;
        align-items: center;
      }
      h2 {
        color: var(--text);
        font-size: 15px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Run} */
    this.earlier = /** @type {any} */ (undefined);
    /** @type {Run} */
    this.later = /** @type {any} */ (undefined);
    this.onClose = () => undefined;
  }

  firstUpdated() {
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector("dialog")).showModal();
  }

  /** A dialog that is closed gives the focus back; one that is only removed loses it. */
  #leave() {
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector("dialog")).close();
  }

  render() {
    const lines = compare(comparedText(this.earlier), comparedText(this.later));
    const different = lines.filter(({ mark }) => mark !== " ").length;
    return html`<dialog aria-label="Compare two runs" @close=${this.onClose}>
      <div class="head">
        <h2>Compare</h2>
        <button type="button" @click=${this.#leave}>Close</button>
      </div>
      <p class="small quiet">
        <span class="removed">− ${titleOf(this.earlier)}</span><br /><span class="added">+ ${titleOf(this.later)}</span><br />
        ${different === 0 ? "No differences." : `${different} lines differ.`}
      </p>
      <k-list label="Lines" row-height="19" .items=${lines} .row=${row} .rowStyles=${ROW}></k-list>
    </dialog>`;
  }
}

/** @param {Run} run */
function titleOf({ tool, where, at, durationMs }) {
  return `${short(tool)} on ${where || "the hub"}, ${moment(at)}, ${milliseconds(durationMs)}`;
}

/** @param {Line} line */
function row({ mark, text }) {
  const kind = mark === "+" ? "added" : mark === "-" ? "removed" : "";
  return html`<span class="mark ${kind}">${mark}</span><span class="line ${kind}">${text}</span>`;
}

customElements.define("kc-comparison", Comparison);
