// Reports the document's title to the hub when it changes, so that the hub need not ask for it.

import { rootElement } from "../dom/root.js";
import { state } from "../state.js";

/** As the browser, which shows no more of one. */
const MOST_CHARS = 4096;

/** The document's title. */
export function titleNow() {
  return document.title.slice(0, MOST_CHARS);
}

function sendTitle() {
  const send = /** @type {any} */ (globalThis).kaptureTitle;
  const title = titleNow();
  if (title === state.title || typeof send !== "function") return;
  state.title = title;
  send(title);
}

/** Report it now and whenever it changes. Only the top document's title counts. */
export function watchTitle() {
  if (window !== window.top) return;
  sendTitle();
  // Little is observed: the root's children until there is a head, then the head with its title.
  const inHead = new MutationObserver(sendTitle);
  const forHead = new MutationObserver(watchHead);
  /** @type {Element | null} */
  let watched = null;

  function watchHead() {
    if (document.head === watched) return;
    watched = document.head;
    inHead.disconnect();
    if (watched) inHead.observe(watched, { childList: true, subtree: true, characterData: true });
    sendTitle();
  }

  forHead.observe(document, { childList: true });
  if (document.documentElement) forHead.observe(document.documentElement, { childList: true });
  else document.addEventListener("readystatechange", () => forHead.observe(rootElement(), { childList: true }), { once: true });
  document.addEventListener("DOMContentLoaded", watchHead, { once: true });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) state.title = undefined;
    sendTitle();
  });
  watchHead();
}
