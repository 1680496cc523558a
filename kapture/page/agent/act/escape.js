// Escape leaves full screen and lets the pointer go. Where a person presses it the browser sees to that, before the page
// hears of the key; of a key that is sent to the page it knows nothing.

/** Listens from the start, before any listener of the page. */
export function watchEscape() {
  addEventListener("keydown", leave, { capture: true, passive: true });
}

/** @param {KeyboardEvent} event */
function leave({ isTrusted, key }) {
  if (!isTrusted || key !== "Escape") return;
  if (document.pointerLockElement) document.exitPointerLock();
  if (!document.fullscreenElement) return;
  document.exitFullscreen().catch(() => {});
}
