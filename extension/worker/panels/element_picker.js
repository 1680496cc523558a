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

export class ElementPicker {
  constructor() {
    /** @type {Map<number, (node: number | null) => void>} resolves a pick, by Chrome's tab id; null: cancelled */
    this.waiting = new Map();
  }

  /**
   * Let the person pick an element of the tab's main document. Ends a pick that is active in this tab.
   * @param {number} chromeTabId that the debugger is attached to
   * @param {() => void} onStart the next click in the page picks
   * @returns {Promise<string | null>} a CSS selector; null: the person has given up
   */
  async pick(chromeTabId, onStart) {
    this.stop(chromeTabId);
    const picked = new Promise((/** @type {(node: number | null) => void} */ resolve) => this.waiting.set(chromeTabId, resolve));
    await cdp.send(chromeTabId, "DOM.enable", {});
    await cdp.send(chromeTabId, "Overlay.enable", {});
    await cdp.send(chromeTabId, "Overlay.setInspectMode", { mode: "searchForNode", highlightConfig: HIGHLIGHT });
    onStart();
    const backendNodeId = await picked;
    await cdp.send(chromeTabId, "Overlay.setInspectMode", { mode: "none", highlightConfig: HIGHLIGHT });
    await cdp.send(chromeTabId, "Overlay.hideHighlight", {});
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
    if (method !== "Overlay.inspectNodeRequested") return;
    this.waiting.get(chromeTabId)?.(params.backendNodeId);
    this.waiting.delete(chromeTabId);
  }
}
