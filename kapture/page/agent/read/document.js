// Facts about the document as a whole.

import { keepTrying } from "../dom/waiting.js";

/** Facts for `tab_info`. */
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

/**
 * Resolves once the viewport's size or scale has changed; gives up soon on a change without effect.
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
  return { url: location.href, title: document.title, readyState: document.readyState };
}

export function platform() {
  return navigator.platform;
}

/** In CSS pixels. */
export function viewportSize() {
  return { width: innerWidth, height: innerHeight };
}
