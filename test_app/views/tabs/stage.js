/**
 * `<kc-stage>`: one tab large and live. By hand: click, scroll and type in its picture, as far as the grant allows; or, when an
 * element is to be picked, the click names it.
 */

import { LitElement, css, html } from "../../ui/vendor/lit.js";
import "../../ui/components/badge.js";
import { controls, shared } from "../../ui/components/styles.js";
import { HandInput } from "../../model/hand_input.js";
import { nameOf } from "../../model/names.js";
import { Following } from "../../ui/components/observed.js";
import "./live_picture.js";

const KEYS = new Set(["Enter", "Tab", "Backspace", "Delete", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]);
const EDITING = new Set(["a", "y", "z"]); // with Control or Command: select all, redo, undo
/** As the commands name them. @type {["Alt" | "Control" | "Meta" | "Shift", "altKey" | "ctrlKey" | "metaKey" | "shiftKey"][]} */
const MODIFIERS = [
  ["Alt", "altKey"],
  ["Control", "ctrlKey"],
  ["Meta", "metaKey"],
  ["Shift", "shiftKey"],
];

export class Stage extends LitElement {
  static properties = { app: { attribute: false }, words: { state: true }, failed: { state: true } };
  static styles = [
    shared,
    controls,
    css`
      dialog {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: auto minmax(0, 1fr) auto;
        width: min(1340px, 96vw);
        height: 94vh;
        max-width: none;
        max-height: none;
        padding: 0;
        overflow: hidden;
        border: 1px solid var(--line);
        border-radius: 12px;
        background: var(--ground);
        color: var(--text);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 55%);
      }
      .head,
      .foot {
        display: flex;
        align-items: center;
        gap: 8px;
        padding: 8px 12px;
        background: var(--raised);
      }
      .head {
        border-bottom: 1px solid var(--line);
      }
      .foot {
        min-height: 34px;
        border-top: 1px solid var(--line);
      }
      form,
      .space {
        flex: 1;
      }
      h2 {
        max-width: 30%;
        color: var(--text);
        font-size: var(--size);
      }
      .picture {
        position: relative;
        display: grid;
        min-height: 0;
        overflow: hidden;
        background: var(--raised);
      }
      .picture:has(textarea:focus-visible) {
        outline: 2px solid var(--accent);
        outline-offset: -3px;
      }
      /* Takes what is typed: only an editor gets what input methods, dead keys and pasting write. */
      textarea {
        position: absolute;
        inset: 0;
        height: auto;
        max-height: none;
        opacity: 0;
        pointer-events: none;
        resize: none;
      }
      .picture.act {
        cursor: pointer;
      }
      .picture.pick {
        cursor: crosshair;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    this.words = "";
    this.failed = false;
    this.hand = new HandInput((command, given) => this.#send(command, given));
    new Following(this, () => [this.app]);
  }

  firstUpdated() {
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector("dialog")).showModal();
    this.#editor.focus();
  }

  updated() {
    const { live, stage } = this.app;
    if (stage) live.watch([stage.tabId], { enlarged: stage.tabId });
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.hand.end();
    this.app.live.watch([]);
  }

  render() {
    const { app } = this;
    if (!app.stage) return html``; // closed; this is updated once more before it goes
    const { tabId, picked } = app.stage;
    const tab = app.live.tabs.get(tabId);
    const name = nameOf(tab, tabId);
    const mayAct = this.#mayAct;
    return html`<dialog aria-label=${picked ? `Pick an element of ${name}` : name} @close=${() => app.closeStage()}>
      <div class="head">
        <h2 class="cut" dir="auto">${picked ? "Pick an element" : name}</h2>
        ${mayAct && !picked
          ? html`<button type="button" @click=${() => this.hand.run("go_back")}>Back</button>
              <button type="button" @click=${() => this.hand.run("reload")}>Reload</button>
              <form @submit=${this.#navigate}>
                <input name="url" type="text" inputmode="url" aria-label="Address" autocomplete="off" spellcheck="false" .value=${tab?.url ?? ""} />
              </form>`
          : html`<span class="space"></span>`}
        <button type="button" @click=${() => this.#leave()}>Close</button>
      </div>
      <div
        class="picture ${picked ? "pick" : mayAct ? "act" : ""}"
        @mousedown=${(/** @type {MouseEvent} */ event) => event.preventDefault()}
        @click=${this.#click}
        @wheel=${this.#scroll}
      >
        <kc-picture fit="middle" .live=${app.live} tab-id=${tabId} label="What ${name} shows"></kc-picture>
        <textarea
          aria-label="Act by hand on ${name}"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          ?readonly=${!mayAct || picked}
          @keydown=${this.#key}
          @input=${(/** @type {InputEvent} */ event) => event.isComposing || this.#type()}
          @compositionend=${this.#type}
        ></textarea>
      </div>
      <div class="foot small">
        <span class="cut ${this.failed ? "bad" : "quiet"}" role="status"
          >${this.words ||
          (picked
            ? "Click the element to pick. Escape cancels."
            : mayAct
              ? "Click, scroll and type in the picture to act on the tab. Escape closes it."
              : "This tab's grant does not allow acting on it.")}</span
        >
      </div>
    </dialog>`;
  }

  get #editor() {
    return /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector("textarea"));
  }

  /** Whether the grant allows acting on the tab. */
  get #mayAct() {
    const { level } = this.app.live.tabs.get(this.app.stage?.tabId ?? "") ?? {};
    return level === "interact" || level === "full";
  }

  /** @param {MouseEvent} event */
  async #click(event) {
    this.#editor.focus();
    const picture = /** @type {import("./live_picture.js").LivePicture} */ (this.renderRoot.querySelector("kc-picture"));
    const point = picture.pointOf(event);
    const { stage } = this.app;
    if (!point || !stage) return;
    if (!stage.picked) {
      if (this.#mayAct) this.#press({ ...point, modifiers: modifiersOf(event), snapshot: "none" }, event.detail);
      return;
    }
    try {
      const { data } = await this.app.command("element_at", { tabId: stage.tabId, ...point });
      if (this.app.stage !== stage) return; // closed meanwhile, and perhaps another one opened
      const ref = refIn(data);
      stage.picked(ref ? { ref } : point);
      this.#leave();
      this.app.set({ stage: null });
    } catch (error) {
      if (this.app.stage !== stage) return;
      this.failed = true;
      this.words = /** @type {Error} */ (error).message;
    }
  }

  /**
   * The second click of two is no click more: it makes them a double click.
   * @param {Record<string, unknown>} where
   * @param {number} count of clicks at this place, with this one
   */
  #press(where, count) {
    if (count < 2) return this.hand.run("mouse", { action: "click", ...where });
    for (const action of ["down", "up"]) this.hand.run("mouse", { action, ...where, count: Math.min(count, 3) });
  }

  /** A dialog that is closed gives the focus back; one that is only removed loses it. */
  #leave() {
    /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector("dialog")).close();
  }

  /** @param {WheelEvent} event */
  #scroll(event) {
    event.preventDefault();
    const picture = /** @type {import("./live_picture.js").LivePicture} */ (this.renderRoot.querySelector("kc-picture"));
    const point = picture.pointOf(event);
    if (!point || this.app.stage?.picked || !this.#mayAct) return;
    this.hand.scroll(point, event.deltaY);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.app.stage?.picked || !this.#mayAct || event.isComposing) return;
    const editing = (event.ctrlKey || event.metaKey) && EDITING.has(event.key.toLowerCase());
    if (!editing && !KEYS.has(event.key)) return;
    this.hand.run("press", { key: [...modifiersOf(event), event.key].join("+"), snapshot: "none" });
    event.preventDefault();
  }

  /** Take over what has been written into the editor. */
  #type() {
    const { value } = this.#editor;
    this.#editor.value = "";
    if (value) this.hand.type(value);
  }

  /** @param {SubmitEvent} event */
  #navigate(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    this.hand.run("navigate", { url: String(new FormData(form).get("url")), snapshot: "none" });
  }

  /**
   * @param {string} command
   * @param {Record<string, unknown>} given
   */
  async #send(command, given) {
    const tabId = this.app.stage?.tabId;
    if (!tabId) return;
    try {
      await this.app.command(command, { tabId, ...given });
      this.words = "";
      this.failed = false;
    } catch (error) {
      this.words = /** @type {Error} */ (error).message;
      this.failed = true;
    }
  }
}

/** @param {MouseEvent | KeyboardEvent} event */
function modifiersOf(event) {
  return MODIFIERS.filter(([, held]) => event[held]).map(([name]) => name);
}

/** The first ref in an answer. @param {any} data @returns {string} */
function refIn(data) {
  if (typeof data?.ref === "string") return data.ref;
  for (const part of Object.values(data ?? {})) {
    const ref = typeof part === "object" && part !== null ? refIn(part) : "";
    if (ref) return ref;
  }
  return "";
}

customElements.define("kc-stage", Stage);
