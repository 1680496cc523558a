/**
 * `<kc-call>`: one call of the timeline, whole.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import { endingOf } from "../../ui/components/logs/activity_entries.js";
import "../../ui/components/answer/json_tree.js";
import { controls, shared } from "../../ui/components/styles.js";
import { milliseconds, moment } from "../../ui/components/time_text.js";
import { stateOf } from "../../model/calls.js";

/** @typedef {import("../../model/calls.js").Call} Call */

export class CallDetail extends LitElement {
  static properties = { call: { attribute: false }, where: {}, onClose: { attribute: false } };
  static styles = [
    shared,
    controls,
    css`
      section {
        display: flex;
        flex-wrap: wrap;
        align-items: baseline;
        gap: 4px 12px;
        max-height: 120px;
        padding: 7px 12px;
        overflow: auto;
        border-top: 1px solid var(--line);
      }
      k-json {
        flex-basis: 100%;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Call} */
    this.call = /** @type {any} */ (undefined);
    /** The tab it was made on, or the hub. */
    this.where = "";
    this.onClose = () => {};
  }

  render() {
    const { command, client, since, waitedMs, durationMs, outcome, message, arguments: given } = this.call;
    const took = durationMs === undefined ? `still ${stateOf(this.call)}` : `took ${milliseconds(durationMs)}`;
    const times = [moment(since), waitedMs ? `waited ${milliseconds(waitedMs)}` : "", took];
    return html`<section aria-label="Selected call">
      <code><b>${command}</b></code>
      <span><bdi>${client}</bdi> on <bdi>${this.where}</bdi></span>
      <span class="quiet number">${times.filter(Boolean).join(" · ")}</span>
      <span class=${outcome && endingOf(outcome) === "failed" ? "bad" : "quiet"}>${outcome ?? ""}${message ? `: ${message}` : ""}</span>
      <button type="button" class="plain" @click=${() => this.onClose()}>Close</button>
      ${given ? html`<k-json label="Arguments, redacted" .value=${given}></k-json>` : ""}
    </section>`;
  }
}

customElements.define("kc-call", CallDetail);
