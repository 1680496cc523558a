// Tells the hub the document's title when it changes, so that nobody has to ask for it.

/** @type {string | undefined} */
let told;

function tell() {
  const tellHub = /** @type {any} */ (globalThis).kaptureTitle;
  if (document.title === told || typeof tellHub !== "function") return;
  told = document.title;
  tellHub(told);
}

/** Tell it now and from now on. Only the top document has a title that counts. */
export function watchTitle() {
  if (window !== window.top) return;
  tell();
  // What is watched is small: the root's children until there is a head, then the head with its title.
  const inHead = new MutationObserver(tell);
  const forHead = new MutationObserver(watchHead);
  /** @type {Element | null} */
  let watched = null;

  function watchHead() {
    if (document.head === watched) return;
    watched = document.head;
    inHead.disconnect();
    if (watched) inHead.observe(watched, { childList: true, subtree: true, characterData: true });
    tell();
  }

  forHead.observe(document, { childList: true });
  if (document.documentElement) forHead.observe(document.documentElement, { childList: true });
  else document.addEventListener("readystatechange", () => forHead.observe(document.documentElement, { childList: true }), { once: true });
  document.addEventListener("DOMContentLoaded", watchHead, { once: true });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) told = undefined;
    tell();
  });
  watchHead();
}
