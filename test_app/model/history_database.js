/**
 * Runs in the browser's database, one record each. What is not in it yet when the page goes is kept in local storage, which takes
 * it at once: a transaction that is not over then is undone.
 */

/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./history.js").RunStorage} RunStorage */
/** By id: a run to keep, or null for one to remove. @typedef {Map<string, Run | null>} Changes */

const [DATABASE, RUNS] = ["kapture-console", "runs"];
/** Records that are copied for the database in one task of the page. */
const AT_ONCE = 50;
const UNWRITTEN = "kapture-console-unwritten-";

/** @implements {RunStorage} */
export class HistoryDatabase {
  /** @type {Promise<IDBDatabase>} */
  #open = new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(RUNS, { keyPath: "id" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  /** Changes not in the database yet, the latest last. @type {Changes} */
  #changes = new Map();
  #writing = false;

  /** @returns {Promise<Run[]>} */
  async all() {
    const database = await this.#open;
    for (const key of Object.keys(localStorage).filter((one) => one.startsWith(UNWRITTEN))) {
      await write(database, changesIn(localStorage.getItem(key))).catch(() => undefined); // a full one still has the runs before
      localStorage.removeItem(key);
    }
    return new Promise((resolve, reject) => {
      const request = database.transaction(RUNS).objectStore(RUNS).getAll();
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  /** @param {Run[]} runs */
  put(runs) {
    for (const run of runs) this.#change(run.id, run);
  }

  /** @param {string[]} ids */
  remove(ids) {
    for (const id of ids) this.#change(id, null);
  }

  /** The page goes. Of more than local storage takes, the latest changes are kept. */
  leave() {
    for (let changes = [...this.#changes]; changes.length > 0; changes = changes.slice(Math.ceil(changes.length / 2))) {
      try {
        localStorage.setItem(UNWRITTEN + crypto.randomUUID(), JSON.stringify(changes));
        return;
      } catch {
        continue; // it is full
      }
    }
  }

  /**
   * @param {string} id
   * @param {Run | null} run
   */
  #change(id, run) {
    this.#changes.delete(id); // a later change is last
    this.#changes.set(id, run);
    void this.#write();
  }

  /** All that has changed goes into one transaction, and what changes meanwhile into the next: a transaction takes longer than a record. */
  async #write() {
    if (this.#writing) return;
    this.#writing = true;
    try {
      const database = await this.#open;
      while (this.#changes.size > 0) {
        const changes = new Map(this.#changes);
        await write(database, changes);
        for (const [id, run] of changes) if (this.#changes.get(id) === run) this.#changes.delete(id);
      }
    } catch {
      this.#changes.clear(); // in a browser that keeps nothing, the history is this page's
    } finally {
      this.#writing = false;
    }
  }
}

/**
 * @param {IDBDatabase} database
 * @param {Changes} changes
 * @returns {Promise<void>} resolved when all of them are kept
 */
function write(database, changes) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(RUNS, "readwrite");
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    const store = transaction.objectStore(RUNS);
    const waiting = [...changes];
    const putNext = () => {
      const requests = waiting.splice(0, AT_ONCE).map(([id, run]) => (run ? store.put(run) : store.delete(id)));
      if (waiting.length > 0) /** @type {IDBRequest} */ (requests.at(-1)).onsuccess = putNext;
      else transaction.commit();
    };
    putNext();
  });
}

/** @param {string | null} text @returns {Changes} */
function changesIn(text) {
  try {
    return new Map(JSON.parse(text ?? "[]"));
  } catch {
    return new Map(); // nothing that was written here
  }
}
