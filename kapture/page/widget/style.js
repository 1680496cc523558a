// How the widget looks. Fonts are the browser's generic ones only: a page could give any other name a font of its own,
// and learn from what is loaded which letters are shown.

import tokens from "../../../extension/ui/tokens.css";
import { EDGE } from "./place.js";

const GAP = `${EDGE}px`;
const WIDTH = `min(320px, calc(100% - ${2 * EDGE}px))`;
const OFFSET = `clamp(${GAP}, var(--offset), 50%)`;

/** `!important` in a shadow tree is stronger than whatever the page says of the host. */
const HOST = `
:host {
  all: initial !important;
  position: fixed !important;
  top: 0 !important;
  left: 0 !important;
  width: 0 !important;
  height: 0 !important;
  z-index: 2147483647 !important;
}
`;

export const STYLE = `${HOST}
${tokens.replaceAll(":root", ".widget")}
.widget { --font: system-ui, sans-serif; --mono: monospace; }
.widget {
  position: fixed; inset: auto; right: clamp(${GAP}, var(--right), calc(100% - ${WIDTH} - ${GAP}));
  box-sizing: border-box; display: flex; flex-direction: column; gap: 6px; width: ${WIDTH};
  max-height: calc(100% - ${OFFSET} - ${GAP}); margin: 0; padding: 8px; overflow: auto; overscroll-behavior: contain;
  border: 1px solid var(--control-line); border-radius: var(--radius); background: var(--raised); color: var(--text);
  box-shadow: 0 4px 16px rgb(0 0 0 / 0.25); font: var(--size) / 1.45 var(--font); text-align: start;
  user-select: none; -webkit-user-select: none; pointer-events: auto;
}
.widget[data-side="bottom"] { bottom: ${OFFSET}; }
.widget[data-side="top"] { top: ${OFFSET}; }
.widget[inert] { pointer-events: none; }
.widget.unseen { opacity: 0; } /* what is hidden loses the focus */
@media print { .widget { display: none; } }
*, *::before, *::after { box-sizing: border-box; scrollbar-width: thin; scrollbar-color: var(--control-line) transparent; }
[data-text]::before { content: attr(data-text); }
[hidden] { display: none !important; }
p, ol { margin: 0; padding: 0; list-style: none; }
code { font-family: var(--mono); font-size: 0.93em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.quiet { color: var(--quiet); }
.cut { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar, .row { display: flex; align-items: center; gap: 6px; flex: none; }
.bar { cursor: move; touch-action: none; }
.status { flex: 1; min-width: 0; font-weight: 600; overflow-wrap: anywhere; }
.dot { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 50%; background: var(--bad); }
.latest { flex: none; padding: 0 4px; }
button, input { margin: 0; color: inherit; font: inherit; }
button {
  display: inline-flex; flex: none; align-items: center; justify-content: center; gap: 6px; min-height: 26px; padding: 2px 12px;
  border: 1px solid var(--control-line); border-radius: 6px; background: var(--ground); white-space: nowrap; cursor: pointer;
}
button:hover { background: var(--hover); }
button.primary { border-color: transparent; background: var(--accent); color: var(--accent-text); font-weight: 600; }
button.primary:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); }
button.icon { min-width: 24px; min-height: 24px; padding: 2px 5px; border-color: transparent; background: none; color: var(--quiet); }
button.icon:hover { background: var(--hover); color: var(--text); }
button.grip { cursor: move; }
button.toggle { justify-content: start; padding: 1px 4px; border-color: transparent; background: none; }
button.toggle:hover { background: var(--hover); }
.arrow { width: 0; height: 0; border: 4px solid transparent; border-left: 6px solid; border-right: 0; }
[aria-expanded="true"] > .arrow { rotate: 90deg; }
input:not([type="checkbox"]) {
  width: 100%; min-width: 0; min-height: 26px; padding: 2px 8px; border: 1px solid var(--control-line); border-radius: 6px;
  background: var(--ground); user-select: text; -webkit-user-select: text;
}
::placeholder { color: var(--quiet); opacity: 1; }
input[type="checkbox"] { flex: none; margin: 0; accent-color: var(--accent); translate: 0 2px; }
label { cursor: pointer; }
label.check { display: flex; align-items: baseline; gap: 6px; }
.field { display: grid; grid-template-columns: 11ch minmax(0, 1fr); align-items: center; gap: 6px; }
.field.halves { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.rows { display: grid; gap: 6px; }
.form { display: grid; flex: none; gap: 6px; padding: 8px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--ground); }
.problem { flex: none; padding: 6px 10px; border-radius: var(--radius); background: var(--bad-soft); color: var(--text); overflow-wrap: anywhere; }
.steps {
  flex: 0 1 auto; min-height: 60px; max-height: min(38vh, 320px); padding: 0 8px; overflow: auto; overscroll-behavior: contain;
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--ground);
}
.steps > li { display: flex; align-items: center; gap: 2px 8px; min-height: 28px; padding: 2px 0; border-bottom: 1px solid var(--line); }
.steps > li:last-child { border-bottom: 0; }
.count { flex: none; min-width: 2ch; color: var(--quiet); text-align: right; font-variant-numeric: tabular-nums; }
.words { flex: 1 1 12ch; min-width: 0; overflow-wrap: anywhere; }
.tools { display: flex; flex: none; margin-left: auto; }
.edit { display: flex; flex: 1; gap: 6px; }
.lock { display: inline-flex; margin-right: 4px; color: var(--ask); vertical-align: -2px; }
`;
