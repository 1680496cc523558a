// How long the widget stays without hearing of the hub: without one nobody answers its buttons.

/** The hub has the widget stay at least every 3 s (RENEW_S in kapture/scenarios/record/recorder_widgets.py). */
const LEASE_MS = 9_000;

/** The same, once there is reason to believe that the hub has gone; the hub is asked, and answers at once. */
const DOUBT_MS = 3_000;

export class Lease {
  // A timer would look to the agent like one of the page's.
  #left = new Animation(new KeyframeEffect(null, null, { duration: LEASE_MS }));

  #doubted = false;

  #ask;

  /**
   * @param {() => void} ask have the hub renew it
   * @param {() => void} ended
   */
  constructor(ask, ended) {
    this.#ask = ask;
    this.#left.onfinish = ended;
  }

  renew() {
    this.#doubted = false;
    this.#left.currentTime = 0;
    this.#left.play();
  }

  /** Chrome's bar leaves room when a person ends debugging there, and nothing else says so in the page. */
  doubt() {
    if (this.#doubted || this.#left.playState !== "running") return;
    this.#doubted = true;
    this.#left.currentTime = Math.max(Number(this.#left.currentTime), LEASE_MS - DOUBT_MS);
    this.#ask();
  }

  cancel() {
    this.#left.cancel();
  }
}
