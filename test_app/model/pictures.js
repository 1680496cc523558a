/**
 * The latest picture of each tab. What the hub sent later counts: a picture that is still being decoded when the hub says that there
 * is none any more is not shown.
 */

/** @typedef {{bitmap: ImageBitmap | null, width: number, height: number, withheld: string}} Picture */

export class Pictures {
  /** @type {Map<string, Picture>} */
  #pictures = new Map();
  /** The latest message about each tab. @type {Map<string, object>} */
  #latest = new Map();
  /** @type {Map<string, Set<(picture: Picture) => void>>} */
  #viewers = new Map();

  /** @param {(number: number, tabId: string) => void} drawn */
  constructor(drawn) {
    this.drawn = drawn;
  }

  /**
   * Follow one tab's pictures; called at once with what there is.
   * @param {string} tabId
   * @param {(picture: Picture) => void} show
   * @returns {() => void} ends it
   */
  follow(tabId, show) {
    const viewers = this.#viewers.get(tabId) ?? new Set();
    this.#viewers.set(tabId, viewers.add(show));
    const known = this.#pictures.get(tabId);
    if (known) show(known);
    return () => {
      viewers.delete(show);
      if (viewers.size === 0 && this.#viewers.get(tabId) === viewers) this.#viewers.delete(tabId);
    };
  }

  /** @param {Uint8Array<ArrayBuffer>} message */
  async take(message) {
    const end = message.indexOf(10);
    const { tabId, number, width, height } = JSON.parse(new TextDecoder().decode(message.subarray(0, end)));
    const turn = {};
    this.#latest.set(tabId, turn);
    const bitmap = await createImageBitmap(new Blob([message.subarray(end + 1)], { type: "image/jpeg" }));
    if (this.#latest.get(tabId) !== turn) return void bitmap.close();
    this.#show(tabId, { bitmap, width, height, withheld: "" });
    requestAnimationFrame(() => this.drawn(number, tabId));
  }

  /**
   * @param {string} tabId
   * @param {string} reason
   */
  withhold(tabId, reason) {
    this.#latest.delete(tabId);
    this.#show(tabId, { bitmap: null, width: 0, height: 0, withheld: reason });
  }

  /** @param {string} tabId */
  forget(tabId) {
    this.#latest.delete(tabId);
    this.#pictures.get(tabId)?.bitmap?.close();
    this.#pictures.delete(tabId);
  }

  clear() {
    for (const tabId of [...this.#latest.keys(), ...this.#pictures.keys()]) this.forget(tabId);
  }

  /**
   * @param {string} tabId
   * @param {Picture} picture
   */
  #show(tabId, picture) {
    this.#pictures.get(tabId)?.bitmap?.close();
    this.#pictures.set(tabId, picture);
    for (const show of this.#viewers.get(tabId) ?? []) show(picture);
  }
}
