/**
 * The scenarios that there are, and the one that is open.
 */

import { Observed } from "./observed.js";

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
 * One step of a scenario's file; docs/SCENARIOS.md describes the fields.
 * @typedef {{command?: string, check?: {kind: string, expected?: unknown}, title?: string, arguments?: Record<string, unknown>,
 *   targets?: object[], element?: object, timeout?: number, secret?: boolean, screenshot?: boolean}} Step
 */
/**
 * @typedef {{
 *   name: string, description?: string, tags?: string[], metadata?: {title?: string, url?: string}, secrets?: string[],
 *   dependencies?: object[], chain: Step[]
 * } & Record<string, unknown>} Scenario
 */
/**
 * @typedef {{scenario: Scenario, parameters: Record<string, any>, secrets: {scenario: string, name: string, stored: boolean}[],
 *   problem?: string | null}} Shown `parameters`: their JSON Schema
 */

export class Library extends Observed {
  /** @type {Row[]} */
  rows = [];
  /** What is searched for. */
  words = "";
  loaded = false;
  /** @type {Problem | null} */
  problem = null;
  /** The scenario that is open. @type {Shown | null} */
  shown = null;
  /** What the last change led to. */
  notice = "";
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
    const words = this.words.trim();
    await this.#try(async () => {
      const { data } = words ? await this.call("search_scenarios", { text: words }) : await this.call("list_scenarios", {});
      if (asked !== this.#asked) return; // another search came after this one
      this.rows = data.scenarios;
      this.loaded = true;
    });
  }

  /** @param {string} words */
  search(words) {
    this.words = words;
    return this.load();
  }

  /** @param {string} name */
  async open(name) {
    const opened = (this.#opened += 1);
    this.notice = "";
    await this.#try(async () => {
      const { data } = await this.call("show_scenario", { name });
      if (opened === this.#opened) this.shown = data; // else another one was opened after it, or this one closed
    });
  }

  close() {
    this.#opened += 1;
    this.shown = null;
    this.notice = "";
    this.problem = null;
    this.changed();
  }

  /**
   * Put a changed scenario in the place of the open one.
   * @param {Scenario} scenario
   * @returns {Promise<boolean>} whether it was written
   */
  async replace(scenario) {
    return this.#try(async () => {
      const { data } = await this.call("edit_scenario", { name: scenario.name, scenario });
      this.shown = (await this.call("show_scenario", { name: scenario.name })).data;
      this.notice = data.forgotten.length
        ? `Saved. The steps that lead to its secrets changed, so their stored values were forgotten: ${data.forgotten.join(", ")}.`
        : "Saved.";
      void this.load();
    });
  }

  /** Delete the open scenario. */
  async remove() {
    const name = this.shown?.scenario.name;
    if (!name) return;
    const done = await this.#try(async () => void (await this.call("delete_scenario", { name })));
    if (!done) return;
    this.close();
    await this.load();
  }

  /** @param {() => Promise<void>} work */
  async #try(work) {
    this.problem = null;
    try {
      await work();
    } catch (error) {
      this.problem = /** @type {Problem} */ (error);
    }
    this.changed();
    return this.problem === null;
  }
}
