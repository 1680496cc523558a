/**
 * The pictures of the first-run page: what to look for in the browser, drawn in the palette's colours.
 */

import { svg } from "../vendor/lit.js";

const frame = svg`<rect x="1" y="1" width="238" height="94" rx="10" fill="var(--raised)" stroke="var(--line)" />`;
const pointer = svg`<path d="M0 0 L0 15 L4 11.5 L6.6 17 L9.2 15.8 L6.6 10.4 L11.5 10.4 Z" fill="var(--text)" stroke="var(--ground)" />`;
const icon = svg`<image href="../icons/kapture-48.png" width="22" height="22" />`;
const toolbar = svg`<rect x="14" y="16" width="150" height="22" rx="11" fill="var(--ground)" stroke="var(--line)" />
  <circle cx="26" cy="27" r="4" fill="none" stroke="var(--quiet)" stroke-width="1.5" />
  <rect x="36" y="25" width="70" height="4" rx="2" fill="var(--line)" />`;

/** The puzzle piece, its menu, and the pin beside Kapture. */
export const pin = svg`${frame}${toolbar}
  <path d="M178 21 h5 a4 4 0 1 1 7 0 h5 v6 a4 4 0 1 1 0 6 v6 h-17 z" fill="none" stroke="var(--text)" stroke-width="1.7" />
  <rect x="92" y="48" width="134" height="38" rx="8" fill="var(--ground)" stroke="var(--line)" />
  <g transform="translate(100 56)">${icon}</g><rect x="130" y="64" width="46" height="5" rx="2.5" fill="var(--quiet)" />
  <path d="M204 58 h9 l-2 6 3 4 h-11 l3 -4 z M208.500 68 v8" fill="var(--accent)" stroke="var(--accent)" stroke-width="1.5" />
  <g transform="translate(211 70)">${pointer}</g>`;

/** A terminal with the one command. */
export const pair = svg`${frame}
  <rect x="24" y="16" width="192" height="64" rx="8" fill="var(--text)" />
  <circle cx="36" cy="27" r="3" fill="var(--bad)" /><circle cx="46" cy="27" r="3" fill="var(--warn)" /><circle cx="56" cy="27" r="3" fill="var(--good)" />
  <text x="34" y="55" font-family="var(--mono)" font-size="14" fill="var(--ground)">$ kapture setup</text>
  <rect x="160" y="44" width="8" height="14" fill="var(--ground)" />`;

/** The popup, with Connect. */
export const connect = svg`${frame}${toolbar}<g transform="translate(176 16)">${icon}</g>
  <rect x="86" y="44" width="142" height="44" rx="8" fill="var(--ground)" stroke="var(--line)" />
  <rect x="96" y="54" width="44" height="6" rx="3" fill="var(--quiet)" /><rect x="96" y="68" width="60" height="5" rx="2.500" fill="var(--line)" />
  <rect x="162" y="52" width="58" height="22" rx="6" fill="var(--accent)" />
  <text x="191" y="67" text-anchor="middle" font-family="var(--font)" font-size="11" font-weight="600" fill="var(--accent-text)">Connect</text>
  <g transform="translate(204 66)">${pointer}</g>`;
