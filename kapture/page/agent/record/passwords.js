// Reports what password fields hold to the hub, which redacts it from the requests that it shows and keeps hashes of it
// only (kapture/page/typed_secrets.py). A field that once held a password stays one, also while it shows what it holds.

import { state } from "../state.js";

/** A page that changes its fields by script without end is listened to no more. */
const MOST_REPORTS = 2000;

/** The longest value that is reported, in characters. */
const MOST_CHARS = 500;

/** Events of a field itself, and those after which a page may send what its fields hold. */
const OF_FIELDS = ["focusin", "beforeinput", "input", "change", "focusout"];
const BEFORE_SENDING = ["pointerdown", "keydown", "click", "submit", "formdata", "pagehide"];

/** Report what is typed into them from now on. */
export function watchPasswords() {
  for (const type of OF_FIELDS) window.addEventListener(type, (event) => reportField(event.composedPath()[0]), true);
  document.querySelectorAll("input[type=password]").forEach(reportField); // typed before, as while the person had the tab
  for (const type of BEFORE_SENDING) window.addEventListener(type, (event) => reportAll(event), true);
}

/** @param {Event} event */
function reportAll(event) {
  const roots = new Set([document, ...event.composedPath().filter((node) => node instanceof ShadowRoot)]);
  for (const root of roots) {
    if (root instanceof Document || root instanceof ShadowRoot) root.querySelectorAll("input[type=password]").forEach(reportField);
  }
}

/** @param {EventTarget} field */
function reportField(field) {
  if (!(field instanceof HTMLInputElement)) return;
  const { passwords } = state.recordedSecrets;
  if (field.type === "password") passwords.add(field);
  if (!passwords.has(field)) return;
  const { value } = field;
  const reported = state.reportedPasswords;
  const send = /** @type {any} */ (globalThis).kapturePassword;
  if (value === "" || value.length > MOST_CHARS || value === reported.last.get(field)) return;
  if (typeof send !== "function" || reported.count >= MOST_REPORTS) return;
  reported.count += 1;
  reported.last.set(field, value);
  send(value);
}
