/**
 * Runs in the browser's database, one record each.
 */

/** @typedef {import("./history.js").Run} Run */

const [DATABASE, RUNS] = ["kapture-console", "runs"];

/** @implements {Partial<import("./history.js").Shelf>} */
export class HistoryShelf {
  /** @type {Promise<IDBDatabase>} */
  #open = new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(RUNS, { keyPath: "id" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

  /** @returns {Promise<Run[]>} */
  async all() {
    const database = await this.#open;
    return new Promise((resolve, reject) => {
      const request = database.transaction(RUNS).objectStore(RUNS).getAll();
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  /** @param {Run[]} runs kept at once: thousands of transactions would take longer than a page may be open */
  put(runs) {
    this.#write((store) => runs.forEach((run) => store.put(run)));
  }

  /** @param {string[]} ids */
  remove(ids) {
    this.#write((store) => ids.forEach((id) => store.delete(id)));
  }

  /** In a browser that keeps nothing the history is this page's. @param {(store: IDBObjectStore) => void} change */
  #write(change) {
    this.#open.then((database) => change(database.transaction(RUNS, "readwrite").objectStore(RUNS))).catch(() => undefined);
  }
}
