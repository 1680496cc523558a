/**
 * State of the Console that views follow: a view is updated once for all changes of a task.
 */

import { Observed } from "../ui/components/observed.js";

export class Store extends Observed {
  #notified = true;

  /**
   * Resolves once a state holds: now, or after a change.
   * @param {() => boolean} holds
   * @returns {Promise<void>}
   */
  until(holds) {
    return new Promise((resolve) => {
      if (holds()) return resolve();
      const end = this.subscribe(() => {
        if (!holds()) return;
        end();
        resolve();
      });
    });
  }

  changed() {
    if (!this.#notified) return;
    this.#notified = false;
    queueMicrotask(() => {
      this.#notified = true;
      super.changed();
    });
  }
}
