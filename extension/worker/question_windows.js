/**
 * Windows with questions for the person, if no other view of them is visible: at most one per subject (usually a tab).
 *
 * Each is placed over the window that it is about, with a fixed size: flags that make every new window huge do not
 * apply.
 */

const WIDTH = 440;
const HEIGHT = 560;
/** The distance from the top of the tab's window: the toolbar with Kapture's button stays visible. */
const BELOW_TOP = 80;

/** @typedef {{left?: number, top?: number, width?: number, height?: number}} Bounds */

export class QuestionWindows {
  /**
   * @param {object} how
   * @param {(subject: number) => string} how.page what the window shows, below the extension's folder
   * @param {(subject: number) => Promise<chrome.windows.Window>} how.over the window that it stands over
   * @param {(subject: number) => void} how.onClosed the person has closed it
   */
  constructor({ page, over, onClosed }) {
    this.page = page;
    this.over = over;
    /** @type {Map<number, number | null>} windows by subject; null while one is being opened */
    this.open = new Map();
    chrome.windows.onRemoved.addListener((windowId) => {
      for (const [id, opened] of this.open) {
        if (opened !== windowId) continue;
        this.open.delete(id);
        onClosed(id);
      }
    });
  }

  /** @param {number} subject */
  async show(subject) {
    if (this.open.has(subject)) return;
    this.open.set(subject, null);
    const url = chrome.runtime.getURL(this.page(subject));
    try {
      // If what it is about is gone meanwhile, the browser places it.
      const bounds = boundsOver(await this.over(subject).catch(() => null));
      const opened = await chrome.windows.create({ url, type: "popup", focused: true, ...bounds });
      this.open.set(subject, opened?.id ?? null);
      const asWanted = opened?.state === "normal" && opened.width === WIDTH;
      if (opened?.id !== undefined && !asWanted) await chrome.windows.update(opened.id, { state: "normal" });
      if (opened?.id !== undefined && !asWanted) await chrome.windows.update(opened.id, bounds);
    } catch (error) {
      this.open.delete(subject);
      throw error;
    }
  }

  /** Bring the window to the front, if there is one. @param {number} subject */
  async focus(subject) {
    const id = this.open.get(subject);
    if (id !== undefined && id !== null) await chrome.windows.update(id, { focused: true });
  }

  /** The window has no questions left and closes itself. @param {number} subject */
  done(subject) {
    this.open.delete(subject);
  }
}

/**
 * The window's bounds: over the middle of the tab's window, and no taller than it.
 * @param {(Bounds & {state?: string}) | null} of
 * @returns {Bounds}
 */
export function boundsOver(of) {
  const { left, top, width, height, state } = of ?? {};
  const placed = left !== undefined && top !== undefined && width !== undefined && height !== undefined;
  if (!placed || state === "minimized") return { width: WIDTH, height: HEIGHT };
  return {
    left: Math.max(0, Math.round(left + (width - WIDTH) / 2)),
    top: Math.max(0, top + BELOW_TOP),
    width: WIDTH,
    height: Math.max(360, Math.min(HEIGHT, height - BELOW_TOP)),
  };
}
