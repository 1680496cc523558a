/** A token bucket: a burst may pass at once, and after it as much as comes in each second. */
export class TokenBucket {
  /**
   * @param {number} burst how many tokens it holds, which it has at first
   * @param {number} perSecond how many come in each second
   * @param {() => number} now milliseconds, of a clock that only moves forwards
   * @param {number} mostOwed how far below none it stays when it is refilled, whatever was taken
   */
  constructor(burst, perSecond, now, mostOwed = Infinity) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.now = now;
    this.mostOwed = mostOwed;
    this.tokens = burst;
    this.refilledAt = now();
  }

  /** Add what has come in since the last time. */
  refill() {
    const now = this.now();
    const added = ((now - this.refilledAt) / 1_000) * this.perSecond;
    this.refilledAt = now;
    this.tokens = Math.min(this.burst, Math.max(this.tokens, -this.mostOwed) + added);
  }

  /**
   * Take tokens, even if there are not so many: then none are there until as many have come in.
   * @param {number} count
   */
  take(count) {
    this.tokens -= count;
  }
}
