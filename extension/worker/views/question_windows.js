/**
 * Windows with questions for the person, if no other view of them is visible: at most one per subject (usually a tab).
 *
 * Each is placed over the window that it is about, wholly on its screen, with a fixed size: flags that make every new
 * window huge do not apply.
 */

const WIDTH = 440;
const HEIGHT = 560;
/** The distance from the top of the tab's window: the toolbar with Kapture's button stays visible. */
const BELOW_TOP = 80;

/** A window manager that places new windows by rules of its own does it within this time; later the person moves them. */
const PLACING_MS = 2_000;
/** It may do so in several steps; one that insists has its way. */
const MAX_REQUESTS = 5;
/** A question and its buttons need this much, over however low a window. */
const MIN_HEIGHT = 360;

/** @typedef {{left: number, top: number, width: number, height: number}} Bounds */

export class QuestionWindows {
  /**
   * @param {object} how
   * @param {(subject: number) => string} how.page what the window shows, below the extension's folder
   * @param {(subject: number) => Promise<chrome.windows.Window>} how.over the window that it stands over
   * @param {(subject: number) => boolean} how.asks whether anything is to be asked about it now
   * @param {(subject: number) => void} how.onClosed the person has closed it
   */
  constructor({ page, over, asks, onClosed }) {
    this.page = page;
    this.over = over;
    this.asks = asks;
    /** @type {Map<number, number | null>} windows by subject; null while one is being opened */
    this.open = new Map();
    /** @type {Map<number, {bounds: Partial<Bounds>, until: number, requests: number}>} windows that have just opened, by id */
    this.placing = new Map();
    chrome.windows.onBoundsChanged.addListener((window) => void this.#place(window));
    chrome.windows.onRemoved.addListener((windowId) => {
      this.placing.delete(windowId);
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
      const bounds = boundsOver(await this.over(subject).catch(() => null), await screens());
      const opened = await chrome.windows.create({ url, type: "popup", focused: true, ...bounds });
      this.open.set(subject, opened?.id ?? null);
      if (opened?.id === undefined || (await this.closeUnlessAsking(subject))) return;
      this.placing.set(opened.id, { bounds, until: Date.now() + PLACING_MS, requests: 0 });
      await this.#place(await chrome.windows.get(opened.id));
    } catch (error) {
      this.open.delete(subject);
      throw error;
    }
  }

  /**
   * A window that has just opened, or moved since: if it is not where it should be, ask for it again.
   * @param {chrome.windows.Window} window
   */
  async #place({ id = 0, state, ...now }) {
    const wanted = this.placing.get(id);
    if (!wanted) return;
    const { bounds, until } = wanted;
    if (Date.now() > until || wanted.requests === MAX_REQUESTS) return void this.placing.delete(id);
    const entries = /** @type {[keyof Bounds, number][]} */ (Object.entries(bounds));
    if (state === "normal" && entries.every(([name, value]) => now[name] === value)) return;
    wanted.requests += 1;
    if (state !== "normal") await chrome.windows.update(id, { state: "normal" });
    await chrome.windows.update(id, bounds);
  }

  /**
   * Close the window if everything that it was opened for has been withdrawn before it could show it. One that has shown
   * a question closes itself.
   * @param {number} subject
   * @returns {Promise<boolean>} whether it is closed
   */
  async closeUnlessAsking(subject) {
    const id = this.open.get(subject) ?? null;
    if (id === null || this.asks(subject)) return false;
    this.done(subject);
    await chrome.windows.remove(id).catch(() => {}); // it has closed meanwhile
    return true;
  }

  /** Bring the window to the front, if there is one. @param {number} subject */
  async focus(subject) {
    const id = this.open.get(subject);
    if (id !== undefined && id !== null) await chrome.windows.update(id, { focused: true, drawAttention: true });
  }

  /** The window has no questions left and closes itself. @param {number} subject */
  done(subject) {
    this.open.delete(subject);
  }
}

/**
 * The part of each screen for windows, without its taskbar.
 * @returns {Promise<Bounds[]>}
 */
async function screens() {
  return (await chrome.system.display.getInfo()).map(({ workArea }) => workArea);
}

/**
 * The window's bounds: over the middle of the tab's window, no taller than it, and on the screen that shows most of it. Chrome
 * refuses a window that is mostly on no screen. Where the tab's window is unknown or minimized, the browser chooses the position.
 * @param {(Partial<Bounds> & {state?: string}) | null} of
 * @param {Bounds[]} screens
 * @returns {{left?: number, top?: number, width: number, height: number}}
 */
export function boundsOver(of, screens) {
  const { left, top, width, height, state } = of ?? {};
  const placed = left !== undefined && top !== undefined && width !== undefined && height !== undefined;
  if (!placed || state === "minimized" || screens.length === 0) return { width: WIDTH, height: HEIGHT };
  const over = { left, top, width, height };
  const screen = screens.reduce((best, one) => (shared(over, one) > shared(over, best) ? one : best));
  const tall = Math.min(Math.max(MIN_HEIGHT, Math.min(HEIGHT, height - BELOW_TOP)), screen.height);
  return {
    left: within(Math.round(left + (width - WIDTH) / 2), screen.left, screen.left + screen.width - WIDTH),
    top: within(top + BELOW_TOP, screen.top, screen.top + screen.height - tall),
    width: WIDTH,
    height: tall,
  };
}

/** How much two rectangles have in common, in square pixels. @param {Bounds} a @param {Bounds} b */
function shared(a, b) {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

/** @param {number} value @param {number} least @param {number} most */
function within(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
