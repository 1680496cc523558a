/**
 * The recording of a tab: what has been recorded and is not saved yet.
 */

import { Observed } from "../../components/observed.js";

/** @typedef {import("./library.js").Problem} Problem */
/** @typedef {{id: string, title: string, value?: string | null, secret?: string | null}} RecordedStep `secret`: its name */
/** @typedef {{going: boolean, steps: RecordedStep[], leftOut?: number, full?: string}} RecordingState */
/** @typedef {{name: string, title?: string, description?: string, tags?: string[], parameters?: Record<string, string>, store_secrets?: boolean, replace?: boolean}} Wish */
/** @typedef {{name: string, steps?: string[], parameters?: string[], secrets?: string[], follows?: string[]}} Saved */

export class Recording extends Observed {
  /** As the hub sent it. @type {RecordingState | null} */
  state = null;
  /** Why the last thing that was asked for was not done. @type {Problem | null} */
  problem = null;
  /** The scenario saved last. @type {Saved | null} */
  saved = null;
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

  /** Add what must hold now in a run. @param {Record<string, unknown>} check @returns {Promise<boolean>} whether it was added */
  check(check) {
    return this.#ask("record_check", check);
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

  /** Keep the text of a step as a secret. @param {string} step */
  keepSecret(step) {
    return this.#ask("record_edit", { step, secret: true });
  }

  /** @param {Wish} wish @returns {Promise<boolean>} whether it was saved */
  async save(wish) {
    return this.#ask("record_save", wish, (data) => (this.saved = data));
  }

  clearProblem() {
    this.problem = null;
    this.changed();
  }

  /**
   * @param {string} command
   * @param {Record<string, unknown>} params
   * @param {(data: any) => void} take
   */
  async #ask(command, params, take = () => undefined) {
    if (this.busy) return false;
    this.busy = true;
    this.problem = null;
    this.changed();
    try {
      take((await this.call(command, params)).data);
    } catch (error) {
      this.problem = /** @type {Problem} */ (error);
    }
    this.busy = false;
    this.changed();
    return this.problem === null;
  }
}
