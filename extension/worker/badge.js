/**
 * The state of a tab on the toolbar button.
 */

const LOOKS = {
  on: { text: "on", color: "#1a7f4b", title: "Kapture: connected" },
  busy: { text: "…", color: "#9a6700", title: "Kapture: connecting" },
  question: { text: "?", color: "#8250df", title: "Kapture: something waits for your answer" },
  failed: { text: "!", color: "#c0362c", title: "Kapture: not connected" },
  off: { text: "", color: "#57606a", title: "Kapture" },
};

/**
 * @param {import("./tab.js").Tab | null} tab
 * @param {boolean} failed
 * @returns {keyof typeof LOOKS}
 */
export function lookOf(tab, failed) {
  if (!tab?.saved.connected) return failed ? "failed" : "off";
  if (tab.approvals.open.size > 0) return "question";
  if (tab.parked) return "failed";
  if (tab.link.state === "ready") return "on";
  return tab.link.state === "waiting" ? "failed" : "busy";
}

/**
 * @param {number} tabId Chrome's tab id
 * @param {import("./tab.js").Tab | null} tab
 * @param {boolean} failed
 */
export async function showBadge(tabId, tab, failed) {
  const { text, color, title } = LOOKS[lookOf(tab, failed)];
  try {
    await Promise.all([
      chrome.action.setBadgeText({ tabId, text }),
      chrome.action.setBadgeBackgroundColor({ tabId, color }),
      chrome.action.setTitle({ tabId, title }),
    ]);
  } catch (error) {
    if (!/no tab/i.test(/** @type {Error} */ (error).message)) throw error;
  }
}
