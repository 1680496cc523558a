/** A fake of the browser's WebSocket: the test is the program at the other end. */

export class FakeSocket {
  static CONNECTING = 0;
  static OPEN = 1;
  static CLOSED = 3;
  /** @type {FakeSocket[]} */
  static opened = [];
  /** @type {Set<() => void>} called whenever this end does something */
  static watchers = new Set();

  /** @param {string} url */
  constructor(url) {
    this.url = url;
    this.readyState = FakeSocket.CONNECTING;
    this.bufferedAmount = 0;
    this.binaryType = "blob";
    /** @type {number | null} the code that this end closed with */
    this.closedWith = null;
    /** @type {any[]} what came from this end, decoded */
    this.sent = [];
    /** @type {() => void} */
    this.onopen = () => {};
    /** @type {(event: {data: any}) => void} */
    this.onmessage = () => {};
    /** @type {(event: {code: number, reason: string}) => void} */
    this.onclose = () => {};
    FakeSocket.opened.push(this);
    FakeSocket.#changed();
  }

  /**
   * Wait until this end has done something: signatures take their own time.
   * @param {() => boolean} holds
   */
  static until(holds) {
    return new Promise((/** @type {(value: void) => void} */ resolve) => {
      const look = () => {
        if (!holds()) return;
        FakeSocket.watchers.delete(look);
        resolve();
      };
      FakeSocket.watchers.add(look);
      look();
    });
  }

  static #changed() {
    for (const watcher of [...FakeSocket.watchers]) watcher();
  }

  /** Make it the `WebSocket` of this process, with none opened. */
  static install() {
    FakeSocket.opened = [];
    Object.assign(globalThis, { WebSocket: FakeSocket });
  }

  /** The socket that was opened last. */
  static get last() {
    return /** @type {FakeSocket} */ (FakeSocket.opened.at(-1));
  }

  /** @param {string} data */
  send(data) {
    this.sent.push(JSON.parse(data));
    FakeSocket.#changed();
  }

  close(code = 1000) {
    this.readyState = FakeSocket.CLOSED;
    this.closedWith = code;
    FakeSocket.#changed();
  }

  // What the other end does.

  accept() {
    this.readyState = FakeSocket.OPEN;
    this.onopen();
  }

  /** @param {object | string} message */
  receive(message) {
    this.onmessage({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }

  end(code = 1006, reason = "") {
    this.readyState = FakeSocket.CLOSED;
    this.onclose({ code, reason });
  }
}
