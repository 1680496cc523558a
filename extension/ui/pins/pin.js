/**
 * The window in which the person writes a note about what they point at.
 */

import { byId } from "../dom.js";
import { showTheme } from "../theme.js";
import { openPort } from "../worker_port.js";

await showTheme();
const chromeTabId = Number(new URLSearchParams(location.search).get("tab"));
const send = openPort(`tab:${chromeTabId}`, () => {});
const note = byId("note");
note.focus();
byId("form").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  send({ do: "pin", note: note.value.trim() });
  setTimeout(() => window.close());
});
byId("discard").addEventListener("click", () => {
  send({ do: "drop_pin" });
  setTimeout(() => window.close());
});
