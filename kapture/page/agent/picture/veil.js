// A document outside the grant covers itself while a picture of its tab is taken. The page around it hides it as well
// (overlay.js), but the scripts of that page can undo what is done there. They cannot reach into this document.

import { awaitPaint, pause } from "../dom/waiting.js";
import { state } from "../state.js";

const { picture } = state;

/** A hub that has gone uncovers nothing. */
const LONGEST_MS = 60_000;

const COVERING = {
  all: "initial", display: "block", position: "fixed", inset: "0", width: "auto", height: "auto", "max-width": "none",
  "max-height": "none", margin: "0", border: "0", padding: "0", background: "#888", opacity: "1", "print-color-adjust": "exact",
};

/** Cover this document; returns whether it is covered, or takes no room, once that has been painted. */
export async function veil() {
  unveil();
  const element = document.createElementNS("http://www.w3.org/1999/xhtml", "div");
  const veiled = /** @type {HTMLElement} */ (element);
  for (const [name, value] of Object.entries(COVERING)) veiled.style.setProperty(name, value, "important");
  document.documentElement?.append(veiled);
  veiled.popover = "manual";
  picture.veil = veiled;
  if (veiled.isConnected) veiled.showPopover(); // above what the document itself has in the top layer
  void pause(LONGEST_MS).then(() => picture.veil === veiled && unveil());
  await awaitPaint();
  const { width, height } = veiled.getBoundingClientRect();
  return { veiled: width * height > 0 || innerWidth * innerHeight === 0 };
}

/** Show the document again. */
export function unveil() {
  picture.veil?.remove();
  picture.veil = undefined;
  return null;
}
