// Facts about the document as a whole.

import { keepTrying } from "../dom/waiting.js";

/** What `tab_info` answers. */
export function documentState() {
  const root = document.scrollingElement ?? document.documentElement;
  return {
    url: location.href,
    title: document.title,
    readyState: document.readyState,
    visible: document.visibilityState === "visible",
    viewport: [Math.round(innerWidth), Math.round(innerHeight)],
    scroll: [Math.round(scrollX), Math.round(scrollY)],
    pageSize: [root.scrollWidth, root.scrollHeight],
    deviceScale: devicePixelRatio,
  };
}

/**
 * What the site may use, as the page itself would learn.
 * @param {{ names: string[] }} args
 */
export async function permissionStates({ names }) {
  /** @type {Record<string, string>} */
  const states = {};
  for (const name of names) {
    try {
      states[name] = (await navigator.permissions.query({ name: /** @type {PermissionName} */ (name) })).state;
    } catch {
      states[name] = "unknown"; // not in this browser, or not in a document of this kind
    }
  }
  return { origin: location.origin, states };
}

/**
 * Answers once the viewport has another size or scale than it had; a change of no effect is given up on soon.
 * @param {{ was: { viewport: number[], deviceScale: number } }} args
 */
export function viewportChange({ was }) {
  return keepTrying((elapsed) => {
    const changed = Math.round(innerWidth) !== was.viewport[0] || Math.round(innerHeight) !== was.viewport[1];
    return changed || devicePixelRatio !== was.deviceScale || elapsed > 300 ? true : undefined;
  });
}

export function userAgent() {
  return navigator.userAgent;
}

/**
 * Which of these the browser knows: a time zone, and a locale.
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

/** Which document this is, and how far it is loaded. */
export function state() {
  return { url: location.href, title: document.title, readyState: document.readyState };
}

export function platform() {
  return navigator.platform;
}

/** In CSS pixels. */
export function viewportSize() {
  return { width: innerWidth, height: innerHeight };
}
