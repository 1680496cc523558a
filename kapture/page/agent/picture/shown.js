// What a person sees of a client that acts on the page: a frame around the viewport in the client's colour, a label that
// says who does what, a mark where it points, and Stop. It is in a closed shadow root and in the top layer; the page sees
// one empty element, and neither learns the client's name nor hears of a press on Stop. The agent leaves the element out
// of everything (dom/own_element.js). Nothing of it can be hit but Stop, which steps aside from a point that the client
// presses (docs/SECURITY.md, "Seeing what a client does").

import { ownElement } from "../dom/own_element.js";
import { state } from "../state.js";

/** `does`: what the client does, with `to` before the name of an element. @typedef {{ client: string, colour: string, does: string, to: string, pressable: boolean }} Shown */

/** Without a hub, which has it stay more often (RENEW_S in kapture/page/shown.py), it goes after this time. */
const LEASE_MS = 5_000;

/** Stop, with what is around it. */
const NEAR_PX = 8;

const PRESSES = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"];

/** Generic fonts and generated text: see kapture/page/widget/style.js and elements.js. */
const STYLE = `
:host { all: initial !important; position: fixed !important; top: 0 !important; left: 0 !important; width: 0 !important;
        height: 0 !important; z-index: 2147483647 !important; }
.shown { position: fixed; inset: 0; box-sizing: border-box; width: auto; height: auto; margin: 0; padding: 0; overflow: hidden;
         border: 3px solid var(--colour); background: none; pointer-events: none; user-select: none; -webkit-user-select: none; }
.label { position: absolute; right: 6px; bottom: 6px; display: flex; align-items: center; gap: 8px; max-width: calc(100% - 12px);
         box-sizing: border-box; padding: 3px 3px 3px 10px; border-radius: 14px; background: var(--colour); color: #fff;
         box-shadow: 0 1px 5px rgb(0 0 0 / 0.35); font: 500 12px/20px system-ui, sans-serif; white-space: nowrap; }
.aside .label { right: auto; left: 6px; flex-direction: row-reverse; padding: 3px 10px 3px 3px; }
.client, .action { overflow: hidden; text-overflow: ellipsis; }
.client { flex: 0 2 auto; max-width: 220px; font-weight: 700; }
.action { flex: 0 1 auto; max-width: 320px; }
[data-text]::before { content: attr(data-text); }
.stop { flex: none; padding: 0 10px; border-radius: 11px; background: #fff; color: #b3261e; font-weight: 700; pointer-events: auto; cursor: pointer; }
.stop.shut { pointer-events: none; opacity: 0.6; }
.mark { position: absolute; top: -14px; left: -14px; box-sizing: border-box; width: 22px; height: 22px; border: 3px solid var(--colour);
        border-radius: 50%; box-shadow: 0 0 0 1.5px #fffa; }
[hidden] { display: none; }
@media print { .shown { display: none; } }
`;

const { shown } = state;

/** Listen for presses on Stop from the start: what listens first has the event first, and the page gets none of it. */
export function listenForStop() {
  for (const kind of PRESSES) addEventListener(kind, hear, { capture: true, passive: false });
}

/** @param {Event} event */
function hear(event) {
  if (!shown.host || event.target !== shown.host) return;
  event.stopImmediatePropagation();
  event.preventDefault(); // the focus stays where it is
  if (event.type === "click" && event.isTrusted) /** @type {any} */ (globalThis).kaptureStop?.("");
}

/**
 * Show what a client does, or that it still does. In a document that has not been drawn it waits: its paint would be
 * taken for the page's.
 * @param {Shown} what
 */
export function show({ client, colour, does, to, pressable }) {
  if (shown.does !== does) Object.assign(shown, { does, to, pointed: undefined });
  if (!(document.documentElement instanceof HTMLElement) || !isDrawn()) return;
  const parts = (shown.parts ??= make());
  listenForStop(); // document.open() takes all listeners away
  parts.all.style.setProperty("--colour", colour);
  say(parts.client, client);
  point(parts);
  parts.stop.classList.toggle("shut", !pressable);
  place(parts);
  shown.lease ??= new Animation(new KeyframeEffect(null, null, { duration: LEASE_MS }));
  shown.lease.onfinish = hide;
  shown.lease.currentTime = 0;
  shown.lease.play();
}

/** Take it away. */
export function hide() {
  shown.lease?.cancel();
  if (!shown.host) return;
  shown.host.remove();
  shown.host = shown.parts = shown.pointed = undefined;
  shown.does = "";
}

/**
 * Mark where the client points in this document, and what that is.
 * @param {{ x: number, y: number }} point of the viewport
 * @param {string} [name] of the element
 */
export function pointTo({ x, y }, name = shown.pointed?.name) {
  if (!shown.does) return;
  shown.pointed = { x, y, name };
  const { parts } = shown;
  if (!parts) return;
  point(parts);
  const { left, top, right, bottom } = parts.stop.getBoundingClientRect();
  const near = x > left - NEAR_PX && x < right + NEAR_PX && y > top - NEAR_PX && y < bottom + NEAR_PX;
  if (near) parts.all.classList.toggle("aside");
}

/** @param {import("../state.js").ShownParts} parts */
function point({ action, mark }) {
  const { does, to, pointed } = shown;
  say(action, [does, ...(pointed?.name ? [to, pointed.name.slice(0, 80)] : [])].filter(Boolean).join(" "));
  mark.hidden = !pointed;
  if (pointed) mark.style.translate = `${pointed.x}px ${pointed.y}px`;
}

function isDrawn() {
  return performance.getEntriesByType("paint").length > 0;
}

/**
 * Have it in the document, above everything: beside a modal dialog of the page everything is inert.
 * @param {import("../state.js").ShownParts} parts
 */
function place(parts) {
  const { host } = shown;
  if (!host) return;
  const parent = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.documentElement;
  if (host.parentNode !== parent) parent.append(host);
  if (!parts.all.matches(":popover-open")) parts.all.showPopover();
}

/** @returns {import("../state.js").ShownParts} */
function make() {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet]; // no policy of the page forbids these
  const [all, label, mark, client, action, stop] = ["shown", "label", "mark", "client", "action", "stop"].map((name) => {
    const part = document.createElement("div");
    part.className = name;
    return part;
  });
  all.popover = "manual";
  mark.hidden = true;
  say(stop, "Stop");
  label.append(client, action, stop);
  all.append(mark, label);
  root.append(all);
  shown.host = host;
  ownElement({ host });
  return { all, client, action, stop, mark };
}

/**
 * @param {HTMLElement} part
 * @param {string} text
 */
function say(part, text) {
  if (part.dataset.text !== text) part.dataset.text = text;
}
