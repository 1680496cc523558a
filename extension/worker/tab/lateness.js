/**
 * How late the browser answers the extension. All tabs' events and answers wait in one queue between the two: how many
 * events a second it carries depends on the machine and on what else that does, and only its delay tells.
 *
 * Asked only while somebody wants to know.
 */

const ASKED_EACH_MS = 200;
/** An answer says nothing of what is later. */
const VALID_MS = 1_000;

export class Lateness {
  /**
   * @param {() => Promise<unknown>} ask something that the browser answers at once, whatever its pages do
   * @param {() => number} now milliseconds, of a clock that only moves forwards
   */
  constructor(ask = async () => chrome.runtime.getPlatformInfo(), now = () => performance.now()) {
    this.ask = ask;
    this.now = now;
    this.latest = 0;
    this.answeredAt = -Infinity;
    /** @type {number | null} when the question was asked that is not answered yet */
    this.askedAt = null;
  }

  /** @returns {number} milliseconds; 0 if it is not known */
  ms() {
    const now = this.now();
    if (this.askedAt === null && now - this.answeredAt >= ASKED_EACH_MS) void this.#ask(now);
    const waited = this.askedAt === null ? 0 : now - this.askedAt;
    return Math.max(waited, now - this.answeredAt < VALID_MS ? this.latest : 0);
  }

  /** @param {number} now */
  async #ask(now) {
    this.askedAt = now;
    try {
      await this.ask();
    } catch {
      // An answer too.
    }
    this.answeredAt = this.now();
    this.latest = this.answeredAt - now;
    this.askedAt = null;
  }
}
