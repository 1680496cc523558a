/**
 * The recorder's widget in a page, and what shows who acts on it, which the hub draws (kapture/page/widget/ and
 * kapture/page/agent/picture/shown.js): without a hub nobody answers their buttons, and so they go.
 */

import * as cdp from "../cdp.js";
import { AGENT_WORLD } from "../gate/rules.js";

export class PageWidget {
  #ready = false;

  /**
   * @param {number} chromeTabId
   * @param {() => import("../gate/documents.js").Documents} documents of the session that there is now
   */
  constructor(chromeTabId, documents) {
    this.chromeTabId = chromeTabId;
    this.documents = documents;
  }

  /** The connection to the hub has changed. @param {boolean} ready */
  onConnection(ready) {
    if (this.#ready && !ready) void this.#remove();
    this.#ready = ready;
  }

  /** Take it out of the page, if it is there; sent before anything that ends the session. */
  async #remove() {
    const { contexts, mainFrame } = this.documents();
    const agent = [...(contexts.get("")?.values() ?? [])].find(({ name, frame }) => name === AGENT_WORLD && frame === mainFrame);
    if (!agent) return;
    try {
      await cdp.send(this.chromeTabId, "Runtime.evaluate", { uniqueContextId: agent.unique, expression: "globalThis.kaptureWidget?.remove(); globalThis.kapture?.hideShown()" });
    } catch {
      // The document has gone, and the widget with it; or the session has, and the widget goes by itself.
    }
  }
}
