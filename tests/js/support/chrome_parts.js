/** The small parts of a fake Chrome: events, storage areas and ports. */

export const EXTENSION = "jjllhgagajepglkofmhapipikepcofkp";

/** One chrome.* event. */
export class FakeEvent {
  constructor() {
    /** @type {Set<(...args: any[]) => unknown>} */
    this.listeners = new Set();
  }

  /** @param {(...args: any[]) => unknown} listener */
  addListener(listener) {
    this.listeners.add(listener);
  }

  /** @param {(...args: any[]) => unknown} listener */
  removeListener(listener) {
    this.listeners.delete(listener);
  }

  /** @param {...any} args */
  emit(...args) {
    for (const listener of [...this.listeners]) listener(...args);
  }
}

export class FakeStorage {
  /**
   * @param {string} area
   * @param {FakeEvent} changed
   */
  constructor(area, changed) {
    this.area = area;
    this.changed = changed;
    /** @type {Record<string, any>} */
    this.values = {};
  }

  /** @param {string | null} key */
  async get(key) {
    return structuredClone(key === null ? this.values : key in this.values ? { [key]: this.values[key] } : {});
  }

  /** @param {object} values */
  async set(values) {
    Object.assign(this.values, structuredClone(values));
    this.changed.emit(Object.fromEntries(Object.keys(values).map((key) => [key, {}])), this.area);
  }

  /** @param {string} key */
  async remove(key) {
    delete this.values[key];
    this.changed.emit({ [key]: {} }, this.area);
  }
}

/** One end of a port, as the worker gets it. What it posts is in `posted`. */
export class FakePort {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    this.sender = { id: EXTENSION };
    this.onMessage = new FakeEvent();
    this.onDisconnect = new FakeEvent();
    /** @type {any[]} */
    this.posted = [];
    /** @type {Set<() => void>} called whenever the worker posts something */
    this.watchers = new Set();
  }

  /** @param {any} message */
  postMessage(message) {
    this.posted.push(structuredClone(message));
    for (const watcher of [...this.watchers]) watcher();
  }

  /**
   * Wait until what has been posted satisfies a condition.
   * @param {(posted: any[]) => boolean} holds
   */
  until(holds) {
    return new Promise((/** @type {(value: void) => void} */ resolve) => {
      const look = () => {
        if (!holds(this.posted)) return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
      look();
    });
  }

  disconnect() {
    this.onDisconnect.emit(this);
  }
}
