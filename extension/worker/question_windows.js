/**
 * The window that puts a tab's questions to the person where no other view of the tab is visible: one a tab at most.
 *
 * It stands over the window of its tab, at a size of its own: flags that make every new window huge do not apply.
 */

const WIDTH = 440;
const HEIGHT = 560;
/** How far below the top of the tab's window it stands: the toolbar with Kapture's button stays in sight. */
const BELOW_TOP = 80;

/** @typedef {{left?: number, top?: number, width?: number, height?: number}} Bounds */

export class QuestionWindows {
  /** @param {(chromeTabId: number) => void} onClosed the person has closed the window of this tab */
  constructor(onClosed) {
    /** @type {Map<number, number | null>} windows by Chrome's tab id; null while one is being opened */
    this.open = new Map();
    chrome.windows.onRemoved.addListener((windowId) => {
      for (const [id, opened] of this.open) {
        if (opened !== windowId) continue;
        this.open.delete(id);
        onClosed(id);
      }
    });
  }

  /** @param {number} chromeTabId */
  async show(chromeTabId) {
    if (this.open.has(chromeTabId)) return;
    this.open.set(chromeTabId, null);
    const url = chrome.runtime.getURL(`ui/question.html?tab=${chromeTabId}`);
    try {
      const bounds = boundsOver(await windowOf(chromeTabId));
      const opened = await chrome.windows.create({ url, type: "popup", focused: true, ...bounds });
      this.open.set(chromeTabId, opened?.id ?? null);
      const asWanted = opened?.state === "normal" && opened.width === WIDTH;
      if (opened?.id !== undefined && !asWanted) await chrome.windows.update(opened.id, { state: "normal" });
      if (opened?.id !== undefined && !asWanted) await chrome.windows.update(opened.id, bounds);
    } catch (error) {
      this.open.delete(chromeTabId);
      throw error;
    }
  }

  /** The window has nothing left to ask and closes itself. @param {number} chromeTabId */
  done(chromeTabId) {
    this.open.delete(chromeTabId);
  }
}

/**
 * @param {number} chromeTabId
 * @returns {Promise<chrome.windows.Window | null>}
 */
async function windowOf(chromeTabId) {
  try {
    return await chrome.windows.get((await chrome.tabs.get(chromeTabId)).windowId);
  } catch {
    return null; // the tab has gone meanwhile: the window opens where the browser puts it
  }
}

/**
 * Where the window goes: over the middle of the tab's window, and no taller than that.
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
