/**
 * Elements flash when they are acted on, in Chrome's overlay over the page. `flash: false` in `chrome.storage.local`
 * turns it off.
 */

import * as cdp from "../cdp.js";

const SHOWN_MS = 600;
const LOOK = { contentColor: { r: 31, g: 95, b: 204, a: 0.25 }, borderColor: { r: 31, g: 95, b: 204, a: 1 } };
/** Commands after which the focused element flashes. */
const AT_FOCUS = new Set(["fill", "fill_form", "paste", "press", "select", "type"]);
const FOCUSED = "document.activeElement === document.body ? null : document.activeElement";

export class Flash {
  /** @param {(chromeTabId: number) => boolean} isWatched whether a person may see the tab */
  constructor(isWatched) {
    this.isWatched = isWatched;
    this.on = true;
    /** @type {Map<number, ReturnType<typeof setTimeout>>} timers that remove a tab's highlight */
    this.shown = new Map();
    chrome.storage.onChanged.addListener((changes, area) => {
      if (area === "local" && "flash" in changes) void this.load();
    });
    void this.load();
  }

  async load() {
    this.on = (await chrome.storage.local.get("flash")).flash !== false;
  }

  /**
   * Called for each CDP command that the hub sends to a tab's own session.
   * @param {number} chromeTabId
   * @param {string} method
   * @param {any} params
   */
  onCommand(chromeTabId, method, params) {
    if (method === "Page.captureScreenshot") this.#hide(chromeTabId); // the highlight must not be in the picture
    else if (method === "Input.dispatchMouseEvent" && params.type === "mousePressed") {
      this.#show(chromeTabId, async () => {
        const { backendNodeId } = await cdp.send(chromeTabId, "DOM.getNodeForLocation", { x: Math.round(params.x), y: Math.round(params.y) });
        return { backendNodeId };
      });
    }
  }

  /**
   * Called when commands have ended on a tab.
   * @param {number} chromeTabId
   * @param {{command: string, outcome: string}[]} ended
   */
  onEnded(chromeTabId, ended) {
    if (!ended.some(({ command, outcome }) => outcome === "ok" && AT_FOCUS.has(command))) return;
    this.#show(chromeTabId, async () => {
      const { result } = await cdp.send(chromeTabId, "Runtime.evaluate", { expression: FOCUSED, objectGroup: "kapture-flash" });
      return result.objectId ? { objectId: result.objectId } : null;
    });
  }

  /**
   * @param {number} chromeTabId
   * @param {() => Promise<object | null>} find the node
   */
  #show(chromeTabId, find) {
    if (!this.on || !this.isWatched(chromeTabId)) return;
    clearTimeout(this.shown.get(chromeTabId));
    this.shown.set(chromeTabId, setTimeout(() => this.#hide(chromeTabId), SHOWN_MS));
    void this.#highlight(chromeTabId, find).catch(() => this.#hide(chromeTabId)); // the element is gone
  }

  /**
   * @param {number} chromeTabId
   * @param {() => Promise<object | null>} find
   */
  async #highlight(chromeTabId, find) {
    await Promise.all([cdp.send(chromeTabId, "DOM.enable", {}), cdp.send(chromeTabId, "Overlay.enable", {})]);
    const node = await find();
    if (node && this.shown.has(chromeTabId)) await cdp.send(chromeTabId, "Overlay.highlightNode", { highlightConfig: LOOK, ...node });
  }

  /** @param {number} chromeTabId */
  #hide(chromeTabId) {
    if (!this.shown.has(chromeTabId)) return;
    clearTimeout(this.shown.get(chromeTabId));
    this.shown.delete(chromeTabId);
    void cdp.send(chromeTabId, "Overlay.hideHighlight", {}).catch(() => undefined); // the page is gone
  }
}
