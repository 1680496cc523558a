/**
 * `<kc-welcome>`: nothing is connected yet: what to do, each step ticked as it succeeds; and without a hub, how to get to one.
 */

import { LitElement, css, html } from "../ui/vendor/lit.js";
import "../ui/components/code.js";
import { controls, shared } from "../ui/components/styles.js";
import { REMEDIES } from "../model/connection.js";
import { firstSteps } from "../model/first_steps.js";
import { Following } from "../ui/components/observed.js";

const AGAIN_MS = 2_000;
/** By the connection's state: what is shown above its problem. */
const DISCONNECTED = /** @type {Record<string, string>} */ ({
  lost: "The hub does not answer",
  refused: "Sign in to the hub",
  closed: "Disconnected from the hub",
});

export class Welcome extends LitElement {
  static properties = { app: { attribute: false }, why: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      :host {
        height: 100%;
        overflow: auto;
        background: var(--raised);
      }
      section {
        width: min(640px, 100% - 32px);
        margin: clamp(20px, 9vh, 90px) auto 30px;
        padding: 26px 30px;
        border: 1px solid var(--line);
        border-radius: 14px;
        background: var(--ground);
      }
      h2 {
        margin-bottom: 4px;
        color: var(--text);
        font-size: 20px;
        letter-spacing: -0.01em;
      }
      ol {
        display: grid;
        gap: 18px;
        margin-top: 22px;
      }
      li {
        display: grid;
        grid-template-columns: 26px minmax(0, 1fr);
        gap: 2px 12px;
      }
      .sign {
        display: grid;
        place-items: center;
        width: 24px;
        height: 24px;
        border: 2px solid var(--control-line);
        border-radius: 50%;
        color: var(--quiet);
        font-size: 12px;
        font-weight: 650;
      }
      .done .sign {
        border-color: var(--good);
        background: var(--good-soft);
        color: var(--good);
      }
      .now .sign {
        border-color: var(--accent);
        color: var(--accent);
      }
      h3 {
        padding-top: 2px;
        color: var(--text);
        font-size: 14px;
      }
      li > div {
        display: grid;
        gap: 6px;
        grid-column: 2;
        color: var(--quiet);
      }
      .done > div {
        display: none;
      }
      .or {
        margin-top: 26px;
        padding-top: 18px;
        border-top: 1px solid var(--line);
        color: var(--quiet);
      }
      section > :is(k-code, p:not(:first-of-type)),
      .or k-code {
        margin-top: 8px;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    /** Why no tab is connected, as `status` has it. */
    this.why = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    new Following(this, () => [this.app, this.app.connection]);
  }

  connectedCallback() {
    super.connectedCallback();
    void this.#check();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  updated() {
    const { app } = this;
    const beginning = !firstSteps(app.live).at(-1)?.done; // calls of before come after the tabs
    if (app.live.connected && beginning !== app.beginning) app.set({ beginning });
  }

  render() {
    const { live } = this.app;
    if (!live.connected) return this.#disconnected();
    const steps = firstSteps(live, this.why);
    const now = steps.findIndex(({ done }) => !done);
    return html`<section aria-label="First steps">
      <h2>No tab is connected yet</h2>
      <p class="quiet">Everything that agents do in your tabs is shown here, and any command can be run by hand.</p>
      <ol>
        ${steps.map(
          ({ title, done, words, code }, at) =>
            html`<li class=${done ? "done" : at === now ? "now" : ""}>
              <span class="sign" role="img" aria-label=${done ? "Done" : "To do"}>${done ? "✓" : at + 1}</span>
              <h3>${title}</h3>
              <div>
                ${words ? html`<p>${words}</p>` : ""}
                ${code ? html`<k-code block .text=${code}></k-code>` : ""}
              </div>
            </li>`,
        )}
      </ol>
      <div class="or">
        Only looking around? A browser of its own, with nothing of yours in it:
        <k-code block text="kapture launch --headed https://example.com"></k-code>
      </div>
    </section>`;
  }

  /** Without a connection nothing is known of the steps: only how to get one. */
  #disconnected() {
    const { connection } = this.app;
    const code = REMEDIES[connection.state];
    return html`<section aria-label="Connection">
      <h2>${DISCONNECTED[connection.state] ?? DISCONNECTED.lost}</h2>
      <p class="quiet" role="status">${connection.problem}</p>
      ${code ? html`<k-code block .text=${code}></k-code>` : ""}
      ${connection.state === "closed" ? html`<p><button type="button" class="primary" @click=${() => connection.connect()}>Connect</button></p>` : ""}
    </section>`;
  }

  async #check() {
    clearTimeout(this.timer);
    const { live } = this.app;
    if (live.connected && document.visibilityState === "visible") this.why = await live.ask("status").then(whyNoTab, () => "");
    if (this.isConnected) this.timer = setTimeout(() => void this.#check(), AGAIN_MS);
  }
}

/** @param {{noTab?: {state: string} | null}} status */
const whyNoTab = ({ noTab }) => noTab?.state ?? "";

customElements.define("kc-welcome", Welcome);
