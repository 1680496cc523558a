/**
 * Small pictures on buttons; each button has a name of its own.
 */

import { html } from "../vendor/lit.js";
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
