/**
 * What each level of a grant lets through to chrome.debugger: one table, read from the top, first match wins.
 *
 * A pattern is a CDP method, or `Domain.*`. What no line names needs `full`.
 */

/** @typedef {"read" | "interact" | "full"} Level */
/** @typedef {"bookkeeping" | "navigate" | "world" | Level | "never"} Need */

/** @type {Record<Level, number>} */
export const RANK = { read: 1, interact: 2, full: 3 };

/** The isolated world in which the hub's page agent runs; code in it does not count as the page's own. */
export const AGENT_WORLD = "kapture";

/**
 * `bookkeeping`: tells nothing of a page's content and changes nothing in it; passes outside the grant too.
 * `navigate`: needs `interact`, passes outside the grant when its destination is inside.
 * `world`: `read` in the agent's isolated world, `full` in the page's own.
 * `never`: reaches beyond the tab.
 * @type {[Need, string[]][]}
 */
const TABLE = [
  [
    "bookkeeping",
    [
      "Accessibility.disable",
      "DOM.disable",
      "DOM.enable",
      "Emulation.setFocusEmulationEnabled",
      "Fetch.disable",
      "Inspector.enable",
      "Log.disable",
      "Log.enable",
      "Network.disable",
      "Network.enable",
      "Overlay.disable",
      "Overlay.hideHighlight",
      "Page.disable",
      "Page.enable",
      "Page.getFrameTree",
      "Page.getNavigationHistory",
      "Page.handleJavaScriptDialog",
      "Page.removeScriptToEvaluateOnNewDocument",
      "Page.setInterceptFileChooserDialog",
      "Page.setLifecycleEventsEnabled",
      "Page.stopLoading",
      "Page.stopScreencast",
      "Runtime.disable",
      "Runtime.discardConsoleEntries",
      "Runtime.enable",
      "Runtime.releaseObject",
      "Runtime.releaseObjectGroup",
      "Runtime.removeBinding",
      "Runtime.runIfWaitingForDebugger",
      "Runtime.setAsyncCallStackDepth",
      "Runtime.terminateExecution",
      "Target.detachFromTarget",
      "Target.setAutoAttach",
    ],
  ],
  ["navigate", ["Page.navigate", "Page.navigateToHistoryEntry"]],
  ["never", ["Browser.*", "Extensions.*", "SystemInfo.*", "Target.*", "Tethering.*"]],
  [
    "world",
    [
      "Page.addScriptToEvaluateOnNewDocument",
      "Page.createIsolatedWorld",
      "Runtime.addBinding",
      "Runtime.awaitPromise",
      "Runtime.callFunctionOn",
      "Runtime.evaluate",
      "Runtime.getProperties",
    ],
  ],
  [
    "read",
    [
      "Accessibility.*",
      "Audits.*",
      "CSS.enable",
      "CSS.disable",
      "CSS.getComputedStyleForNode",
      "DOM.describeNode",
      "DOM.discardSearchResults",
      "DOM.getAttributes",
      "DOM.getBoxModel",
      "DOM.getContentQuads",
      "DOM.getDocument",
      "DOM.getFlattenedDocument",
      "DOM.getFrameOwner",
      "DOM.getNodeForLocation",
      "DOM.getOuterHTML",
      "DOM.getSearchResults",
      "DOM.performSearch",
      "DOM.pushNodeByPathToFrontend",
      "DOM.pushNodesByBackendIdsToFrontend",
      "DOM.querySelector",
      "DOM.querySelectorAll",
      "DOM.requestChildNodes",
      "DOM.requestNode",
      "DOM.resolveNode",
      "DOM.scrollIntoViewIfNeeded",
      "DOMSnapshot.*",
      "Emulation.clearDeviceMetricsOverride",
      "Emulation.setDefaultBackgroundColorOverride",
      "Emulation.setDeviceMetricsOverride",
      "Emulation.setVisibleSize",
      "IO.*",
      "LayerTree.*",
      "Log.*",
      "Network.getRequestPostData",
      "Network.getResponseBody",
      "Network.searchInResponseBody",
      "Overlay.*",
      "Page.captureScreenshot",
      "Page.captureSnapshot",
      "Page.getAppManifest",
      "Page.getLayoutMetrics",
      "Page.getResourceContent",
      "Page.getResourceTree",
      "Page.printToPDF",
      "Page.screencastFrameAck",
      "Page.searchInResource",
      "Page.startScreencast",
      "Performance.*",
      "PerformanceTimeline.*",
    ],
  ],
  [
    "interact",
    [
      "DOM.focus",
      "DOM.setFileInputFiles",
      "Emulation.*",
      "Fetch.continueRequest",
      "Fetch.continueResponse",
      "Fetch.continueWithAuth",
      "Fetch.enable",
      "Fetch.failRequest",
      "Fetch.fulfillRequest",
      "Fetch.getResponseBody",
      "Input.*",
      "Network.clearAcceptedEncodingsOverride",
      "Network.emulateNetworkConditions",
      "Network.emulateNetworkConditionsByRule",
      "Network.overrideNetworkState",
      "Network.setBlockedURLs",
      "Network.setBypassServiceWorker",
      "Network.setCacheDisabled",
      "Page.bringToFront",
      "Page.close",
      "Page.reload",
      "Page.resetNavigationHistory",
      "Page.setWebLifecycleState",
    ],
  ],
];

/** @type {Map<string, Need>} */
const BY_PATTERN = new Map();
for (const [need, patterns] of TABLE) {
  for (const pattern of patterns) if (!BY_PATTERN.has(pattern)) BY_PATTERN.set(pattern, need);
}

/**
 * What a CDP method needs. A method named in full is found before its domain.
 * @param {string} method
 * @returns {Need}
 */
export function needOf(method) {
  return BY_PATTERN.get(method) ?? BY_PATTERN.get(`${method.split(".", 1)[0]}.*`) ?? "full";
}

/**
 * Events that pass outside the grant: where documents are and that they come and go, not what is in them.
 */
export const LIFECYCLE_EVENTS = new Set([
  "Inspector.detached",
  "Inspector.targetCrashed",
  "Inspector.targetReloadedAfterCrash",
  "Page.documentOpened",
  "Page.domContentEventFired",
  "Page.frameAttached",
  "Page.frameClearedScheduledNavigation",
  "Page.frameDetached",
  "Page.frameNavigated",
  "Page.frameRequestedNavigation",
  "Page.frameScheduledNavigation",
  "Page.frameStartedLoading",
  "Page.frameStartedNavigating",
  "Page.frameStoppedLoading",
  "Page.interstitialHidden",
  "Page.interstitialShown",
  "Page.javascriptDialogClosed",
  "Page.javascriptDialogOpening",
  "Page.lifecycleEvent",
  "Page.loadEventFired",
  "Page.navigatedWithinDocument",
  "Runtime.executionContextCreated",
  "Runtime.executionContextDestroyed",
  "Runtime.executionContextsCleared",
  "Target.attachedToTarget",
  "Target.detachedFromTarget",
  "Target.targetInfoChanged",
]);

/**
 * Events that stop the page until they are answered. Outside the grant the extension answers them itself.
 * @type {Record<string, (params: any) => {method: string, params: object}>}
 */
export const ANSWERS = {
  "Fetch.requestPaused": ({ requestId }) => ({ method: "Fetch.continueRequest", params: { requestId } }),
  "Fetch.authRequired": ({ requestId }) => ({
    method: "Fetch.continueWithAuth",
    params: { requestId, authChallengeResponse: { response: "Default" } },
  }),
  "Debugger.paused": () => ({ method: "Debugger.resume", params: {} }),
};

/** The commands, other than `cdp`, that the hub may send to a tab, and the level each needs. */
export const WIRE_COMMANDS = /** @type {Record<string, Level>} */ ({
  tab_new: "interact",
  tab_close: "interact",
  tab_activate: "interact",
  download: "interact",
  permission: "full",
});
