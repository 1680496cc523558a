/**
 * State that views follow: a view is updated once for all changes of a task.
 */

export class Store {
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #notified = true;

  /**
   * @param {() => void} listener
   * @returns {() => void} ends it
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

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

  /** Something has changed. */
  changed() {
    if (!this.#notified) return;
    this.#notified = false;
    queueMicrotask(() => {
      this.#notified = true;
      for (const listener of [...this.#listeners]) listener();
    });
  }
}

/** Updates a Lit element whenever one of its stores has changed. */
export class Follow {
  /**
   * @param {import("../ui/vendor/lit.js").LitElement} host
   * @param {() => Store[]} stores asked when the host is connected
   */
  constructor(host, stores) {
    this.host = host;
    this.stores = stores;
    /** @type {(() => void)[]} */
    this.ends = [];
    host.addController(this);
  }

  hostConnected() {
    this.ends = this.stores().map((store) => store.subscribe(() => this.host.requestUpdate()));
  }

  hostDisconnected() {
    for (const end of this.ends) end();
  }
}
