/**
 * Picking an element in the page, with Chrome's own inspect mode: the page cannot see it, and does not get the click
 * that picks.
 */

import * as cdp from "../cdp.js";
import { selectorOf } from "./element_selector.js";

const HIGHLIGHT = {
  showInfo: true,
  contentColor: { r: 31, g: 95, b: 204, a: 0.25 },
  borderColor: { r: 31, g: 95, b: 204, a: 0.9 },
  paddingColor: { r: 21, g: 112, b: 63, a: 0.2 },
};

/** @typedef {{x: number, y: number, width: number, height: number}} Area of the viewport, in CSS pixels */

export class ElementPicker {
  constructor() {
    /** @type {Map<number, (picked: any) => void>} resolves a pick, by Chrome's tab id; null: cancelled */
    this.waiting = new Map();
  }

  /**
   * Let the person pick an element of the tab's main document. Ends a pick that is active in this tab.
   * @param {number} chromeTabId that the debugger is attached to
   * @param {() => void} onStart the next click in the page picks
   * @returns {Promise<string | null>} a CSS selector; null: the person has given up
   */
  async pick(chromeTabId, onStart) {
    const backendNodeId = await this.pickNode(chromeTabId, onStart);
    if (backendNodeId === null) return null;
    const { object } = await cdp.send(chromeTabId, "DOM.resolveNode", { backendNodeId });
    const { result } = await cdp.send(chromeTabId, "Runtime.callFunctionOn", {
      objectId: object.objectId,
      functionDeclaration: `function () { return (${selectorOf})(this.nodeType === 1 ? this : this.parentElement); }`,
      returnByValue: true,
    });
    await cdp.send(chromeTabId, "Runtime.releaseObject", { objectId: object.objectId });
    if (typeof result.value !== "string") throw new Error("This element is inside a frame or a shadow root: write its target by hand.");
    return result.value;
  }

  /**
   * The same, for any element of the page's process.
   * @param {number} chromeTabId
   * @param {() => void} [onStart]
   * @returns {Promise<number | null>} its `backendNodeId`
   */
  pickNode(chromeTabId, onStart) {
    return this.#inspect(chromeTabId, "searchForNode", onStart);
  }

  /**
   * Let the person draw a rectangle over the page.
   * @param {number} chromeTabId
   * @returns {Promise<{node: number, area: Area} | null>} what is at its middle, and where it is; null: the person has given up
   */
  async drawArea(chromeTabId) {
    const drawn = await this.#inspect(chromeTabId, "captureAreaScreenshot");
    if (drawn === null) return null;
    const { cssVisualViewport } = await cdp.send(chromeTabId, "Page.getLayoutMetrics", {});
    const { pageX, pageY, clientWidth, clientHeight } = cssVisualViewport;
    const [left, top] = [Math.max(0, drawn.x - pageX), Math.max(0, drawn.y - pageY)];
    const area = { x: left, y: top, width: Math.min(drawn.width, clientWidth - left), height: Math.min(drawn.height, clientHeight - top) };
    const middle = { x: Math.round(left + area.width / 2), y: Math.round(top + area.height / 2) };
    const { backendNodeId } = await cdp.send(chromeTabId, "DOM.getNodeForLocation", middle);
    return { node: backendNodeId, area };
  }

  /**
   * @param {number} chromeTabId
   * @param {string} mode
   * @param {() => void} [onStart]
   */
  async #inspect(chromeTabId, mode, onStart = () => {}) {
    this.stop(chromeTabId);
    const picked = new Promise((/** @type {(picked: any) => void} */ resolve) => this.waiting.set(chromeTabId, resolve));
    await cdp.send(chromeTabId, "DOM.enable", {});
    await cdp.send(chromeTabId, "Overlay.enable", {});
    await cdp.send(chromeTabId, "Overlay.setInspectMode", { mode, highlightConfig: HIGHLIGHT });
    onStart();
    const found = await picked;
    await cdp.send(chromeTabId, "Overlay.setInspectMode", { mode: "none", highlightConfig: HIGHLIGHT });
    await cdp.send(chromeTabId, "Overlay.hideHighlight", {});
    return found;
  }

  /** End the pick of a tab, if there is one. @param {number} chromeTabId */
  stop(chromeTabId) {
    this.waiting.get(chromeTabId)?.(null);
    this.waiting.delete(chromeTabId);
  }

  /**
   * @param {number} chromeTabId
   * @param {string} method
   * @param {any} params
   */
  onCdpEvent(chromeTabId, method, params) {
    if (method === "Overlay.inspectModeCanceled") this.stop(chromeTabId);
    const picked = method === "Overlay.inspectNodeRequested" ? params.backendNodeId : method === "Overlay.screenshotRequested" ? params.viewport : null;
    if (picked === null) return;
    this.waiting.get(chromeTabId)?.(picked);
    this.waiting.delete(chromeTabId);
  }
}
