/**
 * `<k-questions .questions=${questions} .grant=${grant} .onDecide=${(id, decision) => …}>`: steps that wait for the person's
 * yes or no: what is asked, by whom, of which tab, what each answer gives, and how long there is.
 */

import { runsOf } from "../components/bidi.js";
import { controls, shared } from "../components/styles.js";
import { grantText } from "../components/grant_text.js";
import { Guards } from "../components/guard.js";
import { LitElement, css, html, repeat } from "../vendor/lit.js";
import { widened } from "../../worker/gate/access.js";
import { siteOf } from "../../worker/gate/sites.js";

/** @typedef {import("../../worker/tab/approvals.js").Question} Question */
/** @typedef {import("../../worker/gate/access.js").Grant} Grant */

const SHOWN = 3;
const TICK_MS = 1_000;

export class Questions extends LitElement {
  static properties = {
    questions: { attribute: false },
    grant: { attribute: false },
    tabTitle: { attribute: false },
    compact: { type: Boolean, reflect: true },
    onDecide: { attribute: false },
  };
  static styles = [
    shared,
    controls,
    css`
      [role="region"] {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 10px;
      }
      .number {
        white-space: nowrap;
      }
      section {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 8px;
        padding: 10px 12px;
        border: 1px solid var(--ask);
        border-radius: var(--radius);
        background: var(--ask-soft);
        overflow-wrap: anywhere;
      }
      h2 {
        color: var(--text);
        font-size: var(--size);
      }
      .small {
        color: var(--text);
      }
      .what {
        display: grid;
        gap: 6px;
      }
      dt {
        color: var(--text);
        font-size: var(--small);
        font-weight: 650;
      }
      pre {
        max-height: 12em;
        padding: 6px 8px;
        border: 1px solid var(--line);
        border-radius: 6px;
        background: var(--ground);
        overflow: auto;
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }
      :host([compact]) pre {
        max-height: 10em;
      }
      .gives {
        display: grid;
        gap: 2px;
        font-size: var(--small);
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        gap: 8px;
      }
      .time {
        display: flex;
        justify-content: space-between;
        gap: 8px;
        font-size: var(--small);
      }
      progress {
        width: 100%;
        height: 4px;
        accent-color: var(--ask);
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Question[]} */
    this.questions = [];
    /** @type {Grant} what the tab is connected for */
    this.grant = { sites: [], level: "read" };
    /** Named where the tab itself may be out of sight. */
    this.tabTitle = "";
    /** Less room for what is shown, as in the popup. */
    this.compact = false;
    /** @type {(id: string, decision: "once" | "tab" | "read" | "deny") => void} */
    this.onDecide = () => {};
    this.guards = new Guards(this);
    this.appeared = this.guards.appeared;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticking = undefined;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.ticking);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("questions")) return;
    const ids = this.questions.slice(0, SHOWN).map(({ id }) => id);
    this.guards.keep(ids);
    clearInterval(this.ticking);
    this.ticking = ids.length > 0 ? setInterval(() => this.requestUpdate(), TICK_MS) : undefined;
  }

  render() {
    const { questions } = this;
    const more = questions.length - SHOWN;
    return html`<div role="region" aria-label="Waiting for your answer" aria-live="polite">
      ${repeat(
        questions.slice(0, SHOWN),
        ({ id }) => id,
        (question) => this.#question(question),
      )}
      ${more > 0 ? html`<p class="small">${more} more after these.</p>` : ""}
    </div>`;
  }

  /** @param {Question} question */
  #question(question) {
    const { id, title, client, command, url, shown, count, askedAt, expiresAt } = question;
    const left = Math.max(0, Math.ceil((expiresAt - Date.now()) / 1_000));
    const wider = widened(this.grant, question);
    const letsIn = command === "let_in"; // to a tab that another client has
    const reads = !letsIn && question.readSuffices && this.grant.level !== "read";
    const facts = [letsIn ? "" : command, siteOf(url)].filter(Boolean).join(" · ");
    return html`<section class="question">
      <h2>${title}</h2>
      <p class="small">${client ? html`Asked by <bdi>${client}</bdi> · ` : ""}${facts}</p>
      ${this.tabTitle ? html`<p class="small cut">Tab: <b dir="auto">${this.tabTitle}</b></p>` : ""}
      ${shown.length > 0
        ? html`<dl class="what">
            ${shown.map(
              ({ name, text }) =>
                html`<div>
                  <dt>${name}</dt>
                  <dd>
                    <pre tabindex="0" aria-label=${name}>${runsOf(text).map((run, at) => (at % 2 ? html`<bdi>${run}</bdi>` : run))}</pre>
                  </dd>
                </div>`,
            )}
          </dl>`
        : ""}
      <div class="gives">
        ${letsIn
          ? html`<p><b>Let it in</b>: both may use this tab: ${grantText(this.grant)}.</p>`
          : html`<p><b>Allow once</b>: this step, and nothing else. ${addition(question)}</p>
              <p><b>Allow for this tab</b>: ${grantText(wider)}, until you disconnect it.</p>
              ${reads ? html`<p><b>Read only</b>: ${grantText({ ...wider, level: "read" })}, until you disconnect it. No client can act on this tab any more.</p>` : ""}`}
      </div>
      ${count > 1 ? html`<p class="small count">${count} steps are waiting for this answer.</p>` : ""}
      <div class="row">
        ${this.#button(id, "deny", "Deny", "danger")}
        ${letsIn ? "" : this.#button(id, "once", "Allow once", "")} ${this.#button(id, "tab", letsIn ? "Let it in" : "Allow for this tab", "")}
        ${reads ? this.#button(id, "read", "Read only", "") : ""}
      </div>
      <div class="time"><span>If you do not answer, ${letsIn ? "it stays out" : "the step fails"}.</span><span class="number" role="timer">${left} s</span></div>
      <progress max=${expiresAt - askedAt} value=${Math.max(0, expiresAt - Date.now())} aria-label="Time left"></progress>
    </section>`;
  }

  /**
   * @param {string} id
   * @param {"once" | "tab" | "read" | "deny"} decision
   * @param {string} text
   * @param {string} look
   */
  #button(id, decision, text, look) {
    return this.guards.button(id, text, look, () => this.onDecide(id, decision));
  }
}

/**
 * The permissions added by a yes. The title is the hub's; these words are the extension's own, by what it will do.
 * @param {Question} question
 */
function addition({ level, site }) {
  const more = [
    level && `gets the access level ${level[0].toUpperCase()}${level.slice(1)}`,
    site && `may work on ${site === "*" ? "any site" : site}`,
  ].filter(Boolean);
  return more.length > 0 ? `It ${more.join(" and ")}.` : "";
}

customElements.define("k-questions", Questions);
