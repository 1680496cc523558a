/**
 * Waiting until nothing is left to do: without timers and without counting turns.
 *
 * Promises are settled before the event loop goes on, however many follow one another. What takes time of its own is
 * work of other threads: signatures and keys. It is counted here, so that it is waited for, however long it takes.
 */

/** @type {Set<Promise<unknown>>} operations of the Web Crypto API that run now */
const running = new Set();

for (const name of /** @type {const} */ (["sign", "verify", "importKey"])) {
  const operation = /** @type {(...args: any[]) => Promise<any>} */ (crypto.subtle[name]).bind(crypto.subtle);
  Object.defineProperty(crypto.subtle, name, {
    configurable: true,
    /** @param {...any} args */
    value(...args) {
      const promise = operation(...args);
      const ended = promise.then(
        () => void running.delete(ended),
        () => void running.delete(ended),
      );
      running.add(ended);
      return promise;
    },
  });
}

/** Let everything that is ready to run do so. Timers and ports are the test's own affair. */
export async function idle() {
  do {
    await Promise.all(running);
    await new Promise((resolve) => setImmediate(resolve));
  } while (running.size > 0);
}
