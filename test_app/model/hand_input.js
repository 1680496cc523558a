/**
 * A person's input in a tab's picture, as commands: one after the other, in the order in which it was done.
 */

const WHEEL_MS = 120; // wheel events within this time are one command

/** @typedef {(command: string, given: Record<string, unknown>) => Promise<void>} Send */

export class HandInput {
  /** @type {Send} */
  #send;
  /** Text typed last and not sent yet, where no other action followed. @type {{text: string} | null} */
  #typed = null;
  /** Scrolling not sent yet. @type {{x: number, y: number, delta_y: number} | null} */
  #wheel = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Resolves when what was done so far has been sent and answered. @type {Promise<void>} */
  done = Promise.resolve();

  /** @param {Send} send never rejects */
  constructor(send) {
    this.#send = send;
  }

  /**
   * @param {string} command
   * @param {Record<string, unknown>} [given]
   */
  run(command, given = {}) {
    this.#sendWheel();
    this.#typed = null;
    this.done = this.done.then(() => this.#send(command, given));
  }

  /** Text typed while a command is under way is sent together. @param {string} text */
  type(text) {
    this.#sendWheel();
    if (!this.#typed) {
      const typed = { text: "" };
      this.done = this.done.then(() => {
        if (this.#typed === typed) this.#typed = null;
        return this.#send("type", { text: typed.text, snapshot: "none" });
      });
      this.#typed = typed;
    }
    this.#typed.text += text;
  }

  /**
   * @param {{x: number, y: number}} point
   * @param {number} deltaY px
   */
  scroll(point, deltaY) {
    this.#wheel = { ...point, delta_y: (this.#wheel?.delta_y ?? 0) + deltaY };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sendWheel(), WHEEL_MS);
  }

  #sendWheel() {
    clearTimeout(this.#timer);
    const turned = this.#wheel;
    this.#wheel = null;
    if (turned) this.run("mouse", { action: "wheel", ...turned, delta_y: Math.round(turned.delta_y), snapshot: "none" });
  }

  /** Drop scrolling that was not sent. */
  end() {
    clearTimeout(this.#timer);
    this.#wheel = null;
  }
}
