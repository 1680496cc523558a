/**
 * Small pictures, and the buttons that show nothing else.
 */

import { html, ifDefined } from "../vendor/lit.js";
import { ICON_PATHS } from "./icon_paths.js";

/** @param {keyof typeof ICON_PATHS} name */
const icon = (name) => () => html`<svg viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor" stroke-width="1.5"
  stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${ICON_PATHS[name]} /></svg>`;

export const lock = icon("lock");
export const openLock = icon("openLock");
export const cross = icon("cross");
export const pencil = icon("pencil");
export const up = icon("up");
export const down = icon("down");
export const back = icon("back");

/**
 * A button that shows only a picture.
 * @param {() => unknown} picture
 * @param {string} title its tooltip
 * @param {string} name what it is called aloud: also what it acts on
 * @param {() => unknown} act
 * @param {{disabled?: boolean, expanded?: boolean}} [state] `expanded`: of one that opens something
 */
export const iconButton = (picture, title, name, act, { disabled = false, expanded } = {}) =>
  html`<button
    type="button"
    class="icon"
    ?disabled=${disabled}
    aria-expanded=${ifDefined(expanded)}
    aria-label=${name}
    title=${title}
    @click=${act}
  >
    ${picture()}
  </button>`;
