/**
 * Whose the document is that a tab itself shows: the one before may not have made it.
 */

import { UNKNOWN, isUnclaimed, ownerOf } from "./document_owner.js";
import { isDerived } from "./sites.js";

const MOST_OPENED = 100;

export class TabDocument {
  constructor() {
    /** @type {string | null} the tab's main frame */
    this.frame = null;
    /** The URL that decides about it, or about the one before if nothing says who made it; "" for an empty new tab. */
    this.reported = "";
    /** Whether the tab has shown a page before this document. */
    this.hasShown = false;
    /** Whether a page has opened the tab. */
    this.hasOpener = false;
    /** @type {string[]} loads that clients began by `Page.navigate`, as the browser names them */
    this.opened = [];
  }

  /** @param {string} url from the tabs API, until CDP reports the document */
  seed(url) {
    this.reported = isDerived(url) ? "" : url;
  }

  /**
   * @param {any} frame CDP Page.Frame
   * @param {string} url the document's, or what could not be opened
   * @param {string} before `owner` of the document before
   */
  show(frame, url, before) {
    this.frame = frame.id;
    this.hasShown = before !== "";
    // The URL rather than the origin: it tells more to the person who is asked.
    this.reported = isDerived(url) ? (ownerOf(url, frame.securityOrigin, before) ?? UNKNOWN) : url;
  }

  /** @param {string} frame of a page that has replaced the tab's, and of which nothing is known yet */
  replace(frame) {
    this.frame = frame;
    this.reported = UNKNOWN;
  }

  /** @param {{loaderId?: string}} answer to a `Page.navigate`, before or after the document is reported */
  noteOpened({ loaderId }) {
    if (loaderId) this.opened = [...this.opened, loaderId].slice(-MOST_OPENED);
  }

  /**
   * @param {Map<string, import("./document_owner.js").Frame>} frames
   * @param {(owner: string) => boolean} allows
   */
  owner(frames, allows) {
    const shown = this.hasShown || this.hasOpener ? frames.get(this.frame ?? "") : undefined;
    return shown && isUnclaimed(shown, this.opened) && !allows(UNKNOWN) ? UNKNOWN : this.reported;
  }
}
