/**
 * A run of a scenario: what it is doing, and what came of it.
 */

import { Observed } from "../../components/observed.js";

/** @typedef {import("./library.js").Problem} Problem */
/** @typedef {import("./library.js").Part} Part */
/**
 * The outcome of a step.
 * @typedef {{scenario: string, number: number, step: string, status: string, duration_ms: number, used?: string | null,
 *   expected?: string | null, found?: string | null, error?: {code: string, message: string} | null, hints?: string[]}} StepResult
 */
/**
 * @typedef {{scenario: string, status: "passed" | "failed" | "planned", duration_ms: number, steps: StepResult[], warnings: string[], healed: string[],
 *   captured: Record<string, unknown>, plan: {scenario: string, steps: number, condition: string, optional: boolean, needed_by: string}[]}} Result
 */
/** @typedef {"idle" | "running" | "passed" | "failed" | "planned" | "cancelled" | "refused"} State */

export class Run extends Observed {
  /** @type {State} `refused`: it was not begun, or it was lost; `problem` says why */
  state = "idle";
  /** The scenario that runs or has run. */
  name = "";
  /** The steps that have begun, in words; while it runs the last is going on. @type {string[]} */
  begun = [];
  /** How many steps there are; 0 where that is not known. */
  total = 0;
  /** @type {Result | null} */
  result = null;
  /** Screenshots. @type {Part[]} */
  parts = [];
  /** @type {Problem | null} */
  problem = null;
  /** @type {AbortController | null} */
  #abort = null;

  /** @param {import("./library.js").Call} call */
  constructor(call) {
    super();
    this.call = call;
  }

  get running() {
    return this.state === "running";
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} params of `run_scenario`, without the name
   */
  async start(name, params) {
    if (this.running) return;
    const abort = (this.#abort = new AbortController());
    Object.assign(this, { state: "running", name, begun: [], total: 0, result: null, parts: [], problem: null });
    this.changed();
    try {
      const onProgress = (/** @type {import("./library.js").Progress} */ progress) => this.#takeProgress(progress);
      const { data, parts = [] } = await this.call("run_scenario", { name, ...params }, { signal: abort.signal, onProgress });
      Object.assign(this, { state: data.status, result: data, parts });
    } catch (error) {
      const cancelled = abort.signal.aborted;
      Object.assign(this, { state: cancelled ? "cancelled" : "refused", problem: cancelled ? null : error });
    }
    this.#abort = null;
    this.changed();
  }

  cancel() {
    this.#abort?.abort("Cancelled.");
  }

  /** Forget what was shown of the last run. */
  clear() {
    if (this.running) return;
    Object.assign(this, { state: "idle", name: "", begun: [], result: null, parts: [], problem: null });
    this.changed();
  }

  /** @param {import("./library.js").Progress} progress */
  #takeProgress({ total, message = "" }) {
    if (!this.running || !message || message === this.begun.at(-1)) return;
    this.begun = [...this.begun, message];
    this.total = total ?? 0;
    this.changed();
  }
}
