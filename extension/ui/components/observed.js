/**
 * State that views follow: each change of it renders them again.
 */

export class Observed {
  /** @type {Set<() => void>} */
  #listeners = new Set();

  /**
   * @param {() => void} listener
   * @returns {() => void} ends it
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something has changed. */
  changed() {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Renders a Lit element again whenever what it shows has changed. */
export class Following {
  /**
   * @param {import("../vendor/lit.js").LitElement} host
   * @param {() => Observed[]} observed asked when the host is connected
   */
  constructor(host, observed) {
    this.host = host;
    this.observed = observed;
    /** @type {(() => void)[]} */
    this.ends = [];
    host.addController(this);
  }

  hostConnected() {
    this.ends = this.observed().map((one) => one.subscribe(() => this.host.requestUpdate()));
  }

  hostDisconnected() {
    for (const end of this.ends) end();
    this.ends = [];
  }

  /** Call this when another object is to be observed. */
  renew() {
    this.hostDisconnected();
    this.hostConnected();
  }
}
