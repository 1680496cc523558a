/**
 * The person's steps until a first command has run, and their progress.
 */

/** @typedef {{title: string, done: boolean, words: string, code: string}} FirstStep */

/** Why no tab is connected, as `status` has it, where the extension has connected to this hub or to one before. */
const SET_UP = new Set(["no_tab_connected", "browser_away"]);

/**
 * The steps from nothing to a first command, and which of them are done.
 * @param {import("./live.js").Live} live
 * @param {string} [why] no tab is connected
 * @returns {FirstStep[]}
 */
export function firstSteps(live, why = "") {
  const backends = new Set([...live.tabs.values()].map(({ backend }) => backend));
  const setUp = {
    title: "Set Kapture up in your browser",
    done: SET_UP.has(why) || backends.has("extension"),
    words: "Once: it installs the extension's files, pairs it with this hub and says what to press.",
    code: "kapture setup",
  };
  return [
    { title: "The hub runs and this page is signed in", done: true, words: "", code: "" },
    ...(backends.size > 0 && !backends.has("extension") ? [] : [setUp]), // a browser that was launched needs none
    {
      title: "Connect a tab",
      done: live.tabs.size > 0,
      words: "Open a page, press the Kapture button in the toolbar, choose what is granted, and press Connect.",
      code: "",
    },
    {
      title: "Run a first command",
      done: live.calls.ordered.some(({ outcome, tabId }) => outcome === "ok" && tabId),
      words: "Choose a tab here and press Run: a snapshot shows the page as an agent sees it.",
      code: "",
    },
  ];
}
