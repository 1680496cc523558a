/**
 * The options: pairing and the hub's address, what is offered and remembered, how Kapture shows itself.
 */

import "./options_pairing.js";
import "./options_settings.js";
import "./options_sites.js";
import { showTheme } from "./theme.js";

chrome.storage.onChanged.addListener((changes) => {
  if ("theme" in changes) void showTheme();
});
await showTheme();
