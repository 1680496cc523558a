/**
 * `<kc-connection>`: the state of the connection in a word; pressed, all about it, and the tools that the Console asks for.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/badge.js";
import "../../ui/components/code.js";
import { controls, shared } from "../../ui/components/styles.js";
import { PROFILES, REMEDIES, TOOLSETS } from "../../model/connection.js";
import { Following } from "../../ui/components/observed.js";

/** @type {Record<import("../../model/connection.js").State, [string, import("../../ui/components/badge.js").Tone]>} */
const STATES = {
  connecting: ["Connecting", "accent"],
  connected: ["Connected", "good"],
  lost: ["Connection lost", "warn"],
  closed: ["Disconnected", "off"],
  refused: ["Signed out", "bad"],
};

export class ConnectionView extends LitElement {
  static properties = { app: { attribute: false } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        display: block;
      }
      button.state {
        padding: 0;
        border: 0;
        border-radius: 999px;
        background: none;
      }
      [popover] {
        position: fixed;
        inset: 48px 12px auto auto;
        width: min(340px, 94vw);
        margin: 0;
        padding: 14px;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--ground);
        color: var(--text);
        box-shadow: 0 8px 28px rgb(0 0 0 / 22%);
      }
      k-code {
        margin: 6px 0 10px;
      }
      dl {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 4px 12px;
      }
      dt {
        color: var(--quiet);
      }
      dd {
        overflow-wrap: anywhere;
      }
      fieldset {
        display: flex;
        flex-wrap: wrap;
        gap: 2px 12px;
        margin-top: 8px;
      }
      legend,
      .label {
        padding: 0;
        color: var(--quiet);
        font-size: var(--small);
      }
      .label {
        display: block;
        margin-top: 12px;
      }
      .buttons {
        display: flex;
        gap: 8px;
        margin-top: 14px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    new Following(this, () => [this.app.connection, this.app.live]);
  }

  render() {
    const { connection, live } = this.app;
    const [label, tone] = STATES[connection.state === "connected" && !live.connected ? "connecting" : connection.state];
    const { profile, toolsets } = connection.options;
    const all = toolsets.includes("all");
    return html`<button type="button" class="state" popovertarget="about" aria-label="Connection: ${label}">
        <k-badge tone=${tone} dot>${label}</k-badge>
      </button>
      <div id="about" popover role="dialog" aria-label="Connection">
        ${connection.problem ? html`<p>${connection.problem}</p>` : ""}
        ${REMEDIES[connection.state] ? html`<k-code block .text=${REMEDIES[connection.state]}></k-code>` : ""}
        <dl>
          <dt>Address</dt>
          <dd>ws://${location.host}/mcp</dd>
          ${connection.state === "connected"
            ? html`<dt>Server</dt>
                <dd>${connection.server}</dd>
                <dt>Protocol</dt>
                <dd>MCP ${connection.protocol}</dd>
                <dt>Tools</dt>
                <dd>${connection.tools.length}</dd>`
            : ""}
        </dl>
        <label class="label" for="profile">Profile</label>
        <select id="profile" @change=${(/** @type {any} */ { target }) => this.#choose({ profile: target.value, toolsets })}>
          ${PROFILES.map((name) => html`<option .selected=${name === profile}>${name}</option>`)}
        </select>
        ${profile === "kapture"
          ? html`<fieldset>
              <legend>Toolsets</legend>
              ${TOOLSETS.map(
                (name) =>
                  html`<label
                    ><input type="checkbox" .checked=${all || toolsets.includes(name)} @change=${() => this.#flip(name)} /> ${name}</label
                  >`,
              )}
            </fieldset>`
          : ""}
        ${connection.state === "refused"
          ? "" // connecting again would be refused again
          : html`<div class="buttons">
              ${connection.state === "closed"
                ? html`<button type="button" class="primary" @click=${() => connection.connect()}>Connect</button>`
                : html`<button type="button" @click=${() => this.app.disconnect()}>Disconnect</button>`}
            </div>`}
      </div>`;
  }

  /** @param {string} name */
  #flip(name) {
    const { profile, toolsets } = this.app.connection.options;
    const chosen = toolsets.includes("all") ? TOOLSETS : toolsets;
    const next = TOOLSETS.filter((one) => chosen.includes(one) !== (one === name));
    this.#choose({ profile, toolsets: next.length === TOOLSETS.length ? ["all"] : next.length ? next : ["core"] });
  }

  /** @param {import("../../model/connection.js").Options} options */
  #choose(options) {
    void this.app.connection.connect(options);
  }
}

customElements.define("kc-connection", ConnectionView);
