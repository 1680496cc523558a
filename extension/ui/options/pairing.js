/**
 * `<k-pairing>`: whether this browser is paired with a hub, pairing again or by file, and the hub's address.
 */

import "../components/prose.js";
import { controls, shared } from "../components/styles.js";
import { section } from "./styles.js";
import { pairingState } from "../pairing_state.js";
import { LitElement, css, html } from "../vendor/lit.js";
import { chooseFile, forgetFile } from "../../worker/connection/pairing.js";
import { change, setting } from "../../worker/settings.js";

/** @typedef {import("../pairing_state.js").PairingState} PairingState */

/** @type {PairingState} */
const LOOKING = { tone: "off", message: "Looking for the hub…", hint: "", source: null, installed: true };

const ABOUT =
  "Pairing is automatic once `kapture setup` has run on this computer. Where that is not possible, choose the pairing file, hub.json in " +
  "the hub's data folder; `kapture doctor` prints where it is. It holds until the browser is closed or the hub stops: its key is kept " +
  "in memory only.";

export class PairingOptions extends LitElement {
  static properties = { state: { state: true }, port: { state: true }, saved: { state: true } };
  static styles = [
    shared,
    controls,
    section,
    css`
      .note {
        /* As high as most states make it: what is below stays where it is when the state is known. */
        min-height: 70px;
        align-content: start;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {PairingState} */
    this.state = LOOKING;
    /** @type {number | null} */
    this.port = null;
    this.saved = "";
    /** Resolves when what was begun last is done. @type {Promise<void>} */
    this.done = this.#open();
  }

  render() {
    const { tone, message, hint, source } = this.state;
    return html`<h2>Pairing with the hub</h2>
      <div class="note ${tone}" role="status" aria-live="polite">
        <b>${message}</b>${hint ? html`<k-prose class="small" .text=${hint}></k-prose>` : ""}
      </div>
      <div class="row">
        <button type="button" class="primary" @click=${this.#again}>Pair again</button>
        ${source === "file" ? html`<button type="button" @click=${this.#forget}>Forget the chosen file</button>` : ""}
      </div>
      <k-prose class="quiet" text=${ABOUT}></k-prose>
      <div class="field">
        <label for="file">Pairing file</label>
        <input id="file" type="file" accept=".json,application/json" @change=${this.#choose} />
      </div>
      <form class="field" @submit=${this.#save}>
        <label for="port">Address of the hub</label>
        <span class="row"
          ><span class="mono">ws://127.0.0.1:</span
          ><input id="port" type="number" min="1" max="65535" placeholder="automatic" aria-describedby="port-help" .value=${this.port ?? ""} />
          <button type="submit">Save</button><span role="status" class="small quiet">${this.saved}</span></span
        >
        <p id="port-help" class="help">Leave it empty to use the port of the paired hub. If you enter one, a hub on any other port is refused.</p>
      </form>`;
  }

  async #open() {
    this.port = await setting("port");
    this.state = await pairingState();
  }

  async #check() {
    const note = /** @type {HTMLElement} */ (this.renderRoot.querySelector(".note"));
    note.style.minHeight = `${note.offsetHeight}px`; // no smaller while it looks again
    this.state = LOOKING;
    this.state = await pairingState();
  }

  #again() {
    this.done = this.#check();
  }

  #forget() {
    this.done = forgetFile().then(() => this.#check());
  }

  /** @param {any} event */
  #choose({ target }) {
    const [file] = target.files;
    target.value = ""; // else the browser says nothing when the same path is chosen again, with a new key in it
    if (file) this.done = this.#take(file);
  }

  /** @param {File} file */
  async #take(file) {
    try {
      await chooseFile(await file.text());
    } catch (error) {
      const { message, hint = "" } = /** @type {Error & {hint?: string}} */ (error);
      this.state = { ...this.state, tone: "bad", message, hint };
      return;
    }
    await this.#check();
  }

  /** @param {SubmitEvent} event */
  #save(event) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (this.renderRoot.querySelector("#port"));
    this.port = Number(field.value) || null;
    this.done = change("port", this.port).then(() => {
      this.saved = "Saved.";
      return this.#check();
    });
  }
}

customElements.define("k-pairing", PairingOptions);
