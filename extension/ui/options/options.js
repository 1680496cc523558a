/**
 * The options: pairing and the hub's address, what is offered and remembered, how Kapture shows itself.
 */

import "./pairing.js";
import "./settings.js";
import "./sites.js";
import "./standing.js";
import { showTheme } from "../theme.js";

chrome.storage.onChanged.addListener((changes) => {
  if ("theme" in changes) void showTheme();
});
await showTheme();
// What is kept is there from the first moment: nothing moves when it comes.
const kept = [...document.querySelectorAll("k-standing-options, k-sites, k-settings")];
await Promise.all(kept.map((part) => /** @type {Element & {done: Promise<void>}} */ (part).done));
/** @type {HTMLElement} */ (document.querySelector("main")).hidden = false;
