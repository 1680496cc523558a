/**
 * Work that is too long for one task of the page: between its pieces what a person does is answered.
 */

const PIECE_MS = 12;

/**
 * Do the work for each item, in as many tasks of the page as it takes.
 * @template Item, Result
 * @param {readonly Item[]} items
 * @param {(item: Item) => Result} work
 * @returns {Promise<Result[]>} what `work` gives for each
 */
export async function inPieces(items, work) {
  /** @type {Result[]} */
  const done = [];
  let ends = performance.now() + PIECE_MS;
  for (const item of items) {
    if (performance.now() > ends) {
      await nextTask();
      ends = performance.now() + PIECE_MS;
    }
    done.push(work(item));
  }
  return done;
}

/** After what the page has to do by now. @returns {Promise<void>} */
function nextTask() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
