/**
 * How this page signs in: once with the ticket in its address, from then on with the session token that the hub gave for it.
 * The token is this browser tab's alone.
 */

const TOKEN = "kapture-session";

export class Session {
  /**
   * @param {Storage} storage
   * @param {string} ticket "" where the address has none
   */
  constructor(storage, ticket) {
    this.storage = storage;
    this.ticket = ticket;
  }

  /** Takes the ticket out of the address, so that it is in no history. */
  static ofPage() {
    const given = new URLSearchParams(location.hash.slice(1));
    const ticket = given.get("ticket") ?? "";
    if (ticket) history.replaceState(null, "", location.pathname);
    return new Session(sessionStorage, ticket);
  }

  get token() {
    return this.storage.getItem(TOKEN) ?? "";
  }

  /** The credentials; null if there are none. */
  credentials() {
    if (this.ticket) return { ticket: this.ticket };
    return this.token ? { token: this.token } : null;
  }

  /** The hub has let this page in. @param {string} [token] */
  admitted(token) {
    this.ticket = "";
    if (token) this.storage.setItem(TOKEN, token);
  }

  /**
   * The hub has refused the credentials: they are of no use any more.
   * @returns {boolean} whether there are others: a ticket that has expired says nothing of the token of before
   */
  refused() {
    if (this.ticket) this.ticket = "";
    else this.storage.removeItem(TOKEN);
    return this.credentials() !== null;
  }
}
