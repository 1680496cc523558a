/**
 * The scenarios that there are, and the one that is open.
 */

import { healedDraft } from "./healed_draft.js";
import { Observed } from "../../components/observed.js";

/** @typedef {import("./scenario.js").Draft} Draft */
/** @typedef {import("./scenario.js").Scenario} Scenario */
/** @typedef {{code?: string, message: string, hint?: string | null, data?: Record<string, unknown> | null}} Problem */
/** @typedef {{base64: string, mimeType: string, name?: string | null}} Part */
/** @typedef {{done: number, total?: number | null, message?: string}} Progress */
/**
 * Runs a command for the person; rejects with a `Problem`.
 * @typedef {(command: string, params: Record<string, unknown>, options?: {signal?: AbortSignal, onProgress?: (progress: Progress) => void})
 *   => Promise<{text?: string, data?: any, parts?: Part[]}>} Call
 */
/**
 * A row of the list.
 * @typedef {{name: string, title: string, description: string, tags: string[], parameters: Record<string, string>, secrets: string[],
 *   dependencies: string[], steps: number, problem?: string | null}} Row
 */
/**
 * @typedef {{scenario: Scenario, parameters: Record<string, any>, secrets: {scenario: string, name: string, stored: boolean}[],
 *   problem?: string | null}} Shown `parameters`: their JSON Schema
 */

export class Library extends Observed {
  /** @type {Row[]} */
  rows = [];
  /** The text of the search. */
  words = "";
  loaded = false;
  /** @type {Problem | null} */
  problem = null;
  /** The scenario that is open. @type {Shown | null} */
  shown = null;
  /** The outcome of the last change. */
  notice = "";
  /** By name: they outlive the view, which is gone while something else is looked at. @type {Map<string, Draft>} */
  #drafts = new Map();
  #asked = 0;
  #opened = 0;

  /** @param {Call} call */
  constructor(call) {
    super();
    this.call = call;
  }

  /** Ask for the list anew. */
  async load() {
    const asked = (this.#asked += 1);
    const isNewest = () => asked === this.#asked;
    const words = this.words.trim();
    await this.#try(async () => {
      const { data } = words ? await this.call("search_scenarios", { text: words }) : await this.call("list_scenarios", {});
      if (!isNewest()) return;
      this.rows = data.scenarios;
      this.loaded = true;
    }, isNewest);
  }

  /** @param {string} words */
  search(words) {
    this.words = words;
    return this.load();
  }

  /** @param {string} name */
  async open(name) {
    this.#opened += 1;
    const isOpen = this.#stillOpen();
    this.notice = "";
    await this.#try(async () => {
      const { data } = await this.call("show_scenario", { name });
      if (!isOpen()) return;
      this.shown = data;
      const draft = this.#drafts.get(name);
      if (!draft || this.draftOf(data.scenario)) return;
      const healed = healedDraft(draft, data.scenario);
      if (healed) return void this.#drafts.set(name, healed);
      this.#drafts.delete(name);
      this.notice = "The scenario was changed elsewhere, so your unsaved changes were discarded.";
    }, isOpen);
  }

  /** Say what a change led to. @param {string} notice */
  tell(notice) {
    this.notice = notice;
    this.changed();
  }

  close() {
    this.#opened += 1;
    this.shown = null;
    this.notice = "";
    this.problem = null;
    this.changed();
  }

  /** The changes to a scenario; null where there are none, or it has been changed elsewhere since. @param {Scenario} scenario */
  draftOf(scenario) {
    const draft = this.#drafts.get(scenario.name);
    return draft && JSON.stringify(draft.of) === JSON.stringify(scenario) ? draft : null;
  }

  /** @param {string} name of a scenario that has changes */
  hasDraft(name) {
    return this.#drafts.has(name);
  }

  /**
   * @param {string} name
   * @param {Draft | null} draft null: it is thrown away
   */
  keepDraft(name, draft) {
    if (draft) this.#drafts.set(name, draft);
    else this.#drafts.delete(name);
    this.changed();
  }

  /**
   * Put a changed scenario in the place of the open one.
   * @param {Scenario} scenario
   * @returns {Promise<boolean>} whether it was written
   */
  async replace(scenario) {
    const isOpen = this.#stillOpen();
    return this.#try(async () => {
      const before = this.#drafts.get(scenario.name)?.of ?? this.shown?.scenario;
      const { data } = await this.call("edit_scenario", { name: scenario.name, scenario, before });
      this.#drafts.delete(scenario.name);
      void this.load();
      const { data: written } = await this.call("show_scenario", { name: scenario.name });
      if (!isOpen()) return;
      this.shown = written;
      this.notice = data.forgotten.length
        ? `Saved. The steps that lead to its secrets changed, so their stored values were forgotten: ${data.forgotten.join(", ")}.`
        : "Saved.";
    });
  }

  /** Delete the open scenario. */
  async remove() {
    const name = this.shown?.scenario.name;
    if (!name) return;
    const isOpen = this.#stillOpen();
    const done = await this.#try(async () => void (await this.call("delete_scenario", { name })));
    if (!done) return;
    this.#drafts.delete(name);
    if (isOpen()) this.close();
    await this.load();
  }

  /** @returns {() => boolean} whether what is open now still is: no other scenario was opened since, and this one not closed */
  #stillOpen() {
    const opened = this.#opened;
    return () => opened === this.#opened;
  }

  /**
   * @param {() => Promise<void>} work
   * @param {() => boolean} isWanted whether a failure is still to be shown
   * @returns {Promise<boolean>} whether it succeeded
   */
  async #try(work, isWanted = () => true) {
    this.problem = null;
    let succeeded = true;
    try {
      await work();
    } catch (error) {
      succeeded = false;
      if (isWanted()) this.problem = /** @type {Problem} */ (error);
    }
    this.changed();
    return succeeded;
  }
}
