// The first change that a page makes after an action by itself.

import { treeScopes } from "../../dom/flat_tree.js";
import { ANY_CHANGE, hasChanged } from "../../dom/mutations.js";
import { pageObserver } from "../../dom/own_element.js";
import { pause } from "../../dom/waiting.js";
import { state } from "../../state.js";
import { hasScrolled } from "./scrolled.js";

/** A change is over when nothing has followed it for this long, or after LONGEST_MS. */
const QUIET_MS = 50;
const LONGEST_MS = 300;

/**
 * Wait for the first change of the document, and for its end; returns whether one came within `ms` milliseconds, and whether
 * the action has scrolled something, which is not waited for. `scrolling`: whether that is a change.
 * @param {{ ms: number, scrolling?: boolean }} args
 */
export async function firstChange({ ms, scrolling = true }) {
  let changes = 0;
  /** @type {() => void} */
  let wake = () => {};
  const observer = pageObserver((records) => {
    if (!hasChanged(records)) return;
    changes += 1;
    wake();
  });
  for (const scope of treeScopes()) observer.observe(scope, ANY_CHANGE);
  const noticed = () => wake();
  if (scrolling) state.scrolls.noticed = noticed;
  try {
    const woken = new Promise((resolve) => (wake = () => resolve(undefined)));
    if (!scrolling || !hasScrolled()) await Promise.race([pause(ms), woken]);
    if (scrolling && hasScrolled()) return { changed: true, scrolled: true };
    if (changes === 0) return { changed: false };
    for (let passed = 0, seen = 0; passed < LONGEST_MS && seen !== changes; passed += QUIET_MS) {
      seen = changes;
      await pause(QUIET_MS);
    }
    return { changed: true };
  } finally {
    if (state.scrolls.noticed === noticed) state.scrolls.noticed = () => {};
    observer.disconnect();
  }
}
