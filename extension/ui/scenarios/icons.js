/**
 * Small pictures on buttons; each button has a name of its own.
 */

import { html, svg } from "../vendor/lit.js";

/** @param {unknown} path */
function icon(path) {
  return html`<svg viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"
    stroke-linejoin="round" aria-hidden="true">${path}</svg>`;
}

export const lock = () => icon(svg`<rect x="3.5" y="7" width="9" height="6.5" rx="1.2" /><path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />`);
export const openLock = () => icon(svg`<rect x="3.5" y="7" width="9" height="6.5" rx="1.2" /><path d="M5.5 7V4.6a2.5 2.5 0 0 1 4.8-.9" />`);
export const cross = () => icon(svg`<path d="M4 4l8 8M12 4l-8 8" />`);
export const pencil = () => icon(svg`<path d="M3 13l.7-2.9L10.6 3.2a1.3 1.3 0 0 1 2.2 2.2L5.9 12.3 3 13z" />`);
export const up = () => icon(svg`<path d="M8 13V3.5M4 7l4-4 4 4" />`);
export const down = () => icon(svg`<path d="M8 3v9.5M4 9l4 4 4-4" />`);
export const back = () => icon(svg`<path d="M10 3L5 8l5 5" />`);
