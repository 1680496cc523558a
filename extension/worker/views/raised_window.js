/**
 * Which window is in front, as far as it decides whether a press was meant for it.
 *
 * A page can cover a question with a window of its own, and close that in the middle of a double click: the second press
 * then goes to the question. So what is pressed when a window has just come to the front counts for nothing.
 */

import { MIN_READING_MS } from "../tab/approvals.js";

export class RaisedWindow {
  /** @param {() => void} onRaised another window of the browser has come to the front */
  constructor(onRaised) {
    /** ms since the epoch */
    this.at = -Infinity;
    chrome.windows.onFocusChanged.addListener((id) => {
      if (id === chrome.windows.WINDOW_ID_NONE) return;
      this.at = Date.now();
      onRaised();
    });
  }

  /** Whether that was so short a time ago that nobody has read what the window shows. */
  get justNow() {
    return Date.now() - this.at < MIN_READING_MS;
  }
}
