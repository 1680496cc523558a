/**
 * Shows the state of a tab on the toolbar button.
 */

import { asksFor, isHeld, stateOf } from "./tab_state.js";

const LOOKS = {
  on: { text: "on", color: "#1a7f4b", title: "Kapture: connected" },
  working: { text: "▶", color: "#1f5fcc", title: "Kapture: an agent is working in this tab" },
  outside: { text: "–", color: "#57606a", title: "Kapture: connected, but the agent sees nothing on this page" },
  paused: { text: "❚❚", color: "#57606a", title: "Kapture: paused on this page; resumes by itself" },
  held: { text: "❚❚", color: "#9a6700", title: "Kapture: you have paused it; press Resume to let it go on" },
  busy: { text: "…", color: "#9a6700", title: "Kapture: connecting" },
  question: { text: "?", color: "#8250df", title: "Kapture: waiting for your answer" },
  failed: { text: "!", color: "#c0362c", title: "Kapture: not connected" },
  off: { text: "", color: "#57606a", title: "Kapture" },
};

/** @type {Record<import("./tab_state.js").TabState, keyof typeof LOOKS>} */
const OF_STATE = { ready: "on", outside: "outside", paused: "paused", connecting: "busy", waiting: "failed", stopped: "failed" };

/**
 * How the extension's button looks in a tab.
 * @param {import("../tab/connected_tab.js").ConnectedTab | null} tab
 * @param {boolean} failed
 * @returns {keyof typeof LOOKS}
 */
export function lookOf(tab, failed) {
  if (!tab?.saved.connected) return failed || tab?.saved.canceled ? "failed" : "off";
  if (asksFor(tab) > 0) return "question";
  const look = OF_STATE[stateOf(tab)];
  if (look === "on" && isHeld(tab)) return "held";
  return look === "on" && tab.running.length > 0 ? "working" : look;
}

/** @type {Map<number, keyof typeof LOOKS>} the current look of each tab's button */
const shown = new Map();

/**
 * Show a tab's state, unless its look is the same: a tab changes far more often than its look.
 * @param {number} tabId Chrome's tab id
 * @param {import("../tab/connected_tab.js").ConnectedTab | null} tab
 * @param {boolean} failed
 */
export async function showBadge(tabId, tab, failed) {
  const look = lookOf(tab, failed);
  if (shown.get(tabId) === look) return;
  shown.set(tabId, look);
  const { text, color, title } = LOOKS[look];
  try {
    await Promise.all([
      chrome.action.setBadgeText({ tabId, text: /** @type {string} */ (text || null) }), // null: as for every tab
      chrome.action.setBadgeBackgroundColor({ tabId, color }),
      chrome.action.setTitle({ tabId, title }),
    ]);
  } catch (error) {
    shown.delete(tabId);
    if (!/no tab/i.test(/** @type {Error} */ (error).message)) throw error;
  }
}

/** Show on the button of every tab without a look of its own that a client asks for a tab. @param {boolean} asks */
export async function showRequested(asks) {
  const { text, color, title } = LOOKS[asks ? "question" : "off"];
  await Promise.all([chrome.action.setBadgeText({ text }), chrome.action.setBadgeBackgroundColor({ color }), chrome.action.setTitle({ title })]);
}

/**
 * Forget a tab's look: the tab is gone, or a navigation has reset it.
 * @param {number} tabId
 */
export function badgeGone(tabId) {
  shown.delete(tabId);
}
