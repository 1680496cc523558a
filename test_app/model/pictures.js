/**
 * The latest picture of each tab, as the hub sends it. Who shows it decodes it: most tabs are shown once, and a picture that goes
 * from its decoder straight to the screen costs less than one that is kept and drawn.
 */

/** @typedef {{jpeg: Blob | null, width: number, height: number, withheld: string}} Picture */

export class Pictures {
  /** @type {Map<string, Picture>} */
  #pictures = new Map();
  /** @type {Map<string, Set<(picture: Picture) => Promise<void> | void>>} */
  #viewers = new Map();

  /** @param {(number: number, tabId: string) => void} drawn */
  constructor(drawn) {
    this.drawn = drawn;
  }

  /**
   * Follow one tab's pictures; called at once with what there is. What it is called with last counts: a picture that is still being
   * decoded when the next comes, or when there is none any more, is not to be shown.
   * @param {string} tabId
   * @param {(picture: Picture) => Promise<void> | void} show
   * @returns {() => void} ends it
   */
  follow(tabId, show) {
    const viewers = this.#viewers.get(tabId) ?? new Set();
    this.#viewers.set(tabId, viewers.add(show));
    const known = this.#pictures.get(tabId);
    if (known) void show(known);
    return () => {
      viewers.delete(show);
      if (viewers.size === 0 && this.#viewers.get(tabId) === viewers) this.#viewers.delete(tabId);
    };
  }

  /** Show a picture, and report it when every viewer has it, or has failed: the next one comes after that. @param {Uint8Array<ArrayBuffer>} message */
  async take(message) {
    const end = message.indexOf(10);
    const { tabId, number, width, height } = JSON.parse(new TextDecoder().decode(message.subarray(0, end)));
    const picture = { jpeg: new Blob([message.subarray(end + 1)], { type: "image/jpeg" }), width, height, withheld: "" };
    try {
      await this.#show(tabId, picture);
    } finally {
      if (this.#pictures.get(tabId) === picture) requestAnimationFrame(() => this.drawn(number, tabId));
    }
  }

  /**
   * @param {string} tabId
   * @param {string} reason
   */
  withhold(tabId, reason) {
    void this.#show(tabId, { jpeg: null, width: 0, height: 0, withheld: reason });
  }

  /** @param {string} tabId */
  forget(tabId) {
    this.#pictures.delete(tabId);
  }

  clear() {
    this.#pictures.clear();
  }

  /**
   * @param {string} tabId
   * @param {Picture} picture
   */
  async #show(tabId, picture) {
    this.#pictures.set(tabId, picture);
    await Promise.all([...(this.#viewers.get(tabId) ?? [])].map((show) => show(picture)));
  }
}
