/**
 * The command that is being edited and run: its parameters for each tool, the run that goes on, and what is shown of the last one.
 */

import { NoAnswer } from "./connection.js";
import { nameOf, short } from "./names.js";
import { Store } from "./store.js";

/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("../ui/components/answer/response.js").Response} Response */

const SNAPSHOT = "kapturemcp_snapshot";

export class Runner extends Store {
  /** The run that goes on. @type {{tool: string, began: number, progress: string, abort: AbortController} | null} */
  current = null;
  /** The run that is shown. @type {Run | null} */
  shown = null;
  /** Takes the element that is chosen in the snapshot shown, or nothing. @type {((target: {ref: string} | undefined) => void) | null} */
  #picked = null;
  /** The form's values, by tool. @type {Map<string, Record<string, unknown>>} */
  #given = new Map();

  /** @param {import("./app.js").App} app */
  constructor(app) {
    super();
    this.app = app;
  }

  /** @param {string} tool @returns {Record<string, unknown>} */
  given(tool) {
    return this.#given.get(tool) ?? {};
  }

  /**
   * @param {string} tool
   * @param {Record<string, unknown>} value
   */
  edit(tool, value) {
    this.#given.set(tool, value);
    this.changed();
  }

  /** Show a run's tool and parameters for editing. @param {Run} run */
  load({ tool, tabId, given }) {
    const { tabId: _tab, ...rest } = given;
    this.edit(tool, rest);
    this.app.set({ tool, view: "commands", ...(this.app.live.tabs.has(tabId) ? { tabId } : {}) });
  }

  /** @param {Run} run */
  show(run) {
    this.endPick();
    this.shown = run;
    this.changed();
  }

  /** Whether a line of a snapshot is to be chosen. */
  get picking() {
    return this.#picked !== null;
  }

  /**
   * Show a new snapshot of the selected tab, and let the person choose one of its lines.
   * @returns {Promise<{ref: string} | undefined>} undefined when something else was done instead, or goes on
   */
  async pick() {
    if (this.current) return undefined;
    this.endPick();
    const picked = new Promise((resolve) => (this.#picked = resolve));
    this.changed();
    await this.run(SNAPSHOT, {}, true);
    if (this.shown?.tool !== SNAPSHOT || this.shown.state !== "ok") this.endPick();
    return /** @type {Promise<{ref: string} | undefined>} */ (picked);
  }

  /**
   * @param {{ref: string}} [target] nothing was chosen without it
   * @returns {boolean} whether a line was to be chosen
   */
  endPick(target) {
    if (!this.#picked) return false;
    this.#picked(target);
    this.#picked = null;
    this.changed();
    return true;
  }

  /** As `k-response` shows it. @returns {Response | null} */
  get response() {
    if (this.current) return { command: short(this.current.tool), state: "running", text: this.current.progress };
    if (!this.shown) return null;
    const { tool, state, durationMs, text, data, parts, error } = this.shown;
    return { command: short(tool), state, durationMs, text, data, parts, error };
  }

  cancel() {
    this.current?.abort.abort("Cancelled.");
  }

  /**
   * @param {string} tool
   * @param {Record<string, unknown>} value without `tabId` where the selected tab is meant
   * @param {boolean} takesTab
   */
  async run(tool, value, takesTab) {
    if (this.current) return;
    if (tool !== SNAPSHOT) this.endPick();
    const tabId = takesTab ? String(value.tabId ?? this.app.tabId) : "";
    const given = tabId ? { tabId, ...value } : value;
    const abort = new AbortController();
    const at = Date.now();
    const began = performance.now();
    this.current = { tool, began, progress: "", abort };
    this.changed();
    const onProgress = (/** @type {import("./connection.js").Progress} */ { done, total, message }) => {
      if (this.current?.abort !== abort) return;
      // Of a command that reports nothing itself the hub says only its name, which stands above, and for how long it has run.
      const words = message?.startsWith(`${tool}: `) ? message.slice(tool.length + 2) : message;
      this.current.progress = words || `${done}${total ? ` of ${total}` : ""}`;
      this.changed();
    };
    /** @type {Pick<Run, "state" | "text" | "data" | "parts" | "error">} */
    let result;
    try {
      result = await this.app.connection.call(tool, given, { signal: abort.signal, onProgress });
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      const code = error instanceof NoAnswer ? error.code : "ERROR";
      result = abort.signal.aborted
        ? { state: "cancelled", text: "", data: null, parts: [], error: null }
        : { state: "failed", text: "", data: null, parts: [], error: { code, message } };
    }
    const durationMs = performance.now() - began;
    const where = tabId ? nameOf(this.app.live.tabs.get(tabId), tabId) : "";
    /** @type {Run} */
    const run = { id: crypto.randomUUID(), tool, tabId, where, given, at, durationMs, ...result };
    this.current = null;
    this.shown = run;
    this.app.history.add(run);
    this.changed();
  }
}
