/**
 * The recording of a tab: what has been recorded and is not saved yet.
 */

import { Observed } from "../../components/observed.js";

/** @typedef {import("./library.js").Problem} Problem */
/** @typedef {{id: string, title: string, value?: string | null, secret?: string | null}} RecordedStep `secret`: its name */
/** @typedef {{going: boolean, steps: RecordedStep[], leftOut?: number, full?: string}} RecordingState */
/** @typedef {{name: string, title?: string, description?: string, store_secrets?: boolean, replace?: boolean}} Wish */

export class Recording extends Observed {
  /** As the hub sent it. @type {RecordingState | null} */
  state = null;
  /** Why the last thing that was asked for was not done. @type {Problem | null} */
  problem = null;
  /** Whether an answer is waited for. */
  busy = false;

  /** @param {import("./library.js").Call} call */
  constructor(call) {
    super();
    this.call = call;
  }

  get going() {
    return this.state?.going ?? false;
  }

  /** @param {RecordingState | null} state from the hub */
  show(state) {
    this.state = state;
    this.changed();
  }

  start() {
    return this.#ask("record_start", {});
  }

  /** Show the recorder in the page, where the person starts it. */
  offer() {
    return this.#ask("record_start", { by_person: true });
  }

  stop() {
    return this.#ask("record_stop", {});
  }

  /** @param {string} step its id */
  remove(step) {
    return this.#ask("record_edit", { step, delete: true });
  }

  /**
   * @param {string} step
   * @param {string} value
   */
  setValue(step, value) {
    return this.#ask("record_edit", { step, value });
  }

  /** What the step types is a secret. @param {string} step */
  keepSecret(step) {
    return this.#ask("record_edit", { step, secret: true });
  }

  /** @param {Wish} wish @returns {Promise<boolean>} whether it was saved */
  save(wish) {
    return this.#ask("record_save", wish);
  }

  clearProblem() {
    this.problem = null;
    this.changed();
  }

  /**
   * @param {string} command
   * @param {Record<string, unknown>} params
   */
  async #ask(command, params) {
    if (this.busy) return false;
    this.busy = true;
    this.problem = null;
    this.changed();
    try {
      await this.call(command, params);
    } catch (error) {
      this.problem = /** @type {Problem} */ (error);
    }
    this.busy = false;
    this.changed();
    return this.problem === null;
  }
}
