/**
 * Pointing at something for the agents of a tab: the person picks an element or draws a rectangle, and adds a note in a
 * window of the extension. Nothing that a page does begins it or ends it.
 */

import { QuestionWindows } from "./question_windows.js";
import { activateTab } from "../browser.js";

/** @typedef {{node: number, area?: import("../panels/element_picker.js").Area}} Pointed */

const MENU = "point";
const MAX_NOTE = 500;

export class Pointing {
  /** @param {import("../panels/element_picker.js").ElementPicker} picker */
  constructor(picker) {
    this.picker = picker;
    /** @type {import("../tabs.js").Tabs | null} */
    this.tabs = null;
    /** What is pointed at, until its note is sent. @type {Map<number, Pointed>} by Chrome's tab id */
    this.pointed = new Map();
    this.windows = new QuestionWindows({
      page: (id) => `ui/pin.html?tab=${id}`,
      over: async (id) => chrome.windows.get((await chrome.tabs.get(id)).windowId),
      asks: (id) => this.pointed.has(id),
      onClosed: (id) => this.pointed.delete(id),
    });
    chrome.contextMenus.onClicked.addListener(({ menuItemId }, tab) => {
      if (menuItemId === MENU && tab?.id !== undefined) void this.start(tab.id, "element");
    });
  }

  /** @param {import("../tabs.js").Tabs} tabs */
  serve(tabs) {
    this.tabs = tabs;
  }

  /** Put the item into the context menu of pages. */
  addMenu() {
    chrome.contextMenus.create({ id: MENU, title: "Point at something for the agent", contexts: ["all"], documentUrlPatterns: ["http://*/*", "https://*/*", "file:///*"] }, () => {
      void chrome.runtime.lastError; // it is there already
    });
  }

  /**
   * Let the person point. Nothing happens in a tab that is not connected.
   * @param {number} chromeTabId
   * @param {"element" | "area"} what
   */
  async start(chromeTabId, what) {
    const { tabs, picker } = this;
    await tabs?.ready;
    const tab = tabs?.tabs.get(chromeTabId);
    if (tab?.attachment.state === "idle") await tab.attachment.renew().catch(() => {}); // said below
    if (!tab?.attachment.attached) {
      await chrome.action.openPopup?.().catch(() => {}); // the person connects it there first
      return;
    }
    await activateTab(chromeTabId);
    const node = what === "area" ? null : await picker.pickNode(chromeTabId);
    const pointed = what === "area" ? await picker.drawArea(chromeTabId) : node === null ? null : { node };
    if (!pointed) return;
    this.pointed.set(chromeTabId, pointed);
    await this.windows.show(chromeTabId);
  }

  /**
   * The person has written their note.
   * @param {number} chromeTabId
   * @param {unknown} note
   */
  send(chromeTabId, note) {
    const pointed = this.pointed.get(chromeTabId);
    this.drop(chromeTabId);
    if (pointed) this.tabs?.tabs.get(chromeTabId)?.send({ type: "point", ...pointed, note: String(note ?? "").slice(0, MAX_NOTE) });
  }

  /** The person thinks better of it. @param {number} chromeTabId */
  drop(chromeTabId) {
    this.pointed.delete(chromeTabId);
    this.windows.done(chromeTabId);
  }
}
