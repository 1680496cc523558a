// Facts about the document as a whole.

import { rootElement, rootScroller } from "../dom/flat_tree.js";
import { textPieces } from "../dom/text/rendered_text.js";
import { unreadable } from "../dom/unreadable.js";
import { keepTrying } from "../dom/waiting.js";
import { presentElement } from "../snapshot/snapshot.js";
import { state as agentState } from "../state.js";

/** Facts for `tab_info`. `hidden` is what the page is told: over some backends it is made to take itself for visible. */
export function documentState() {
  const root = rootScroller();
  return {
    url: location.href,
    title: titleNow(),
    readyState: document.readyState,
    hidden: document.visibilityState === "hidden",
    viewport: [Math.round(innerWidth), Math.round(innerHeight)],
    scroll: [Math.round(scrollX), Math.round(scrollY)],
    pageSize: [root.scrollWidth, root.scrollHeight],
    deviceScale: devicePixelRatio,
  };
}

/**
 * Permissions of the site, as the page itself would query them.
 * @param {{ names: string[] }} args
 */
export async function permissionStates({ names }) {
  /** @type {Record<string, string>} */
  const states = {};
  for (const name of names) {
    try {
      states[name] = (await navigator.permissions.query({ name: /** @type {PermissionName} */ (name) })).state;
    } catch {
      states[name] = "unknown"; // not in this browser, or not in this kind of document
    }
  }
  return { origin: location.origin, states };
}

/** For so long a page may take to get its new size or scale, as on a busy machine. */
const CHANGES_MS = 2_000;
/** A change that is not known to have an effect is soon given up. */
const MAY_CHANGE_MS = 300;

/**
 * Resolves once the viewport has changed: in all that is expected to change, or else in size or scale.
 * @param {{ was: { viewport: number[], deviceScale: number }, size: boolean, scale: boolean }} args
 */
export function viewportChange({ was, size, scale }) {
  return keepTrying((_, active) => {
    const resized = Math.round(innerWidth) !== was.viewport[0] || Math.round(innerHeight) !== was.viewport[1];
    const rescaled = devicePixelRatio !== was.deviceScale;
    const expected = size || scale;
    const changed = expected ? (resized || !size) && (rescaled || !scale) : resized || rescaled;
    return changed || active > (expected ? CHANGES_MS : MAY_CHANGE_MS) ? true : undefined;
  });
}

/** The user agent as the page sees it, emulated or not. */
export function userAgent() {
  return navigator.userAgent;
}

/**
 * Whether the browser knows a time zone, and a locale.
 * @param {{ timezone: string | null, locale: string | null }} args
 */
export function knowsLocale({ timezone, locale }) {
  const knows = (/** @type {() => unknown} */ use) => {
    try {
      use();
      return true;
    } catch {
      return false;
    }
  };
  return {
    timezone: timezone === null || knows(() => new Intl.DateTimeFormat("en", { timeZone: timezone })),
    locale: locale === null || knows(() => Intl.getCanonicalLocales(locale)),
  };
}

/** The document's identity, and its loading state. */
export function state() {
  return { url: location.href, title: titleNow(), readyState: document.readyState };
}

/** The operating system, by which shortcuts are chosen. */
export function platform() {
  return navigator.platform;
}

/** In CSS pixels. */
export function viewportSize() {
  return { width: innerWidth, height: innerHeight };
}

/**
 * The text of an element, or of the whole page: pieces of text, and keys of frames at their positions.
 * @param {{ ref?: number }} args
 */
export function readText({ ref }) {
  const instead = ref === undefined ? unreadable() : undefined;
  if (instead) return [instead];
  return textPieces(ref === undefined ? rootElement() : presentElement(ref));
}

/** As the browser, which shows no more of one. */
const MOST_CHARS = 4096;

/** The document's title. */
export function titleNow() {
  return document.title.slice(0, MOST_CHARS);
}

function sendTitle() {
  const send = /** @type {any} */ (globalThis).kaptureTitle;
  const title = titleNow();
  if (title === agentState.title || typeof send !== "function") return;
  agentState.title = title;
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
    if (persisted) agentState.title = undefined;
    sendTitle();
  });
  watchHead();
}
