// Files for inputs and drops, and what the page has got of them.

import { describe } from "../accessibility/describe.js";
import { retain, wasRetained } from "../dom/handles.js";
import { elementOf } from "../dom/refs.js";
import { keepTrying } from "../dom/waiting.js";
import { state } from "../state.js";

/**
 * The description of the file input for an element, which is the element itself or its label's control, with what it takes;
 * null if there is none. The files that it is given from now on are noted: pages often empty it once they have them.
 * @param {{ ref?: number, element?: Element }} args
 */
export function fileInput({ ref, element = elementOf(ref ?? 0) }) {
  const control = element instanceof HTMLLabelElement ? element.control : element;
  if (!(control instanceof HTMLInputElement) || control.type !== "file") return null;
  const note = () => {
    state.givenFiles = { to: control, files: filesOf(control.files) };
  };
  state.givenFiles = undefined;
  for (const type of ["input", "change"]) control.addEventListener(type, note, { capture: true, once: true });
  return { ...describe(control), handle: retain(control), folder: control.webkitdirectory, multiple: control.multiple || control.webkitdirectory };
}

/**
 * The paths of the files that an input has been given, once it has any.
 * @param {{ handle: number, timeout: number }} args
 */
export function givenFiles({ handle, timeout }) {
  const input = /** @type {HTMLInputElement} */ (wasRetained(handle));
  return keepTrying((elapsed) => {
    const noted = state.givenFiles?.to === input ? state.givenFiles.files : filesOf(input.files);
    return noted.length > 0 || elapsed >= timeout ? noted : undefined;
  }, timeout);
}

/** Note the files that are dropped next, and whether the page takes them. What it does not take stays closed. */
export function watchDrop() {
  state.drop?.watching.abort();
  const watching = new AbortController();
  const { signal } = watching;
  /** @type {NonNullable<typeof state.drop>} */
  const drop = (state.drop = { watching, over: undefined, event: undefined, taken: undefined, files: [] });
  addEventListener("dragover", (event) => (drop.over = event), { capture: true, signal });
  const note = (/** @type {DragEvent} */ event) => {
    drop.event = event;
    drop.files = filesOf(event.dataTransfer?.files);
    const last = () => {
      drop.taken = event.defaultPrevented;
      event.preventDefault(); // the browser would open the files
    };
    addEventListener("drop", last, { signal });
  };
  addEventListener("drop", note, { capture: true, signal });
  return null;
}

/** Whether the page takes what is dragged over it. */
export function takesDrop() {
  const takes = state.drop?.over?.defaultPrevented ?? false;
  if (!takes) state.drop?.watching.abort();
  return takes;
}

/** The dropped files, and whether the page took them. */
export function droppedFiles() {
  const { watching, event, taken, files } = state.drop ?? {};
  watching?.abort();
  return { taken: taken ?? event?.defaultPrevented ?? false, files: files ?? [] };
}

/** @param {FileList | null | undefined} files */
function filesOf(files) {
  return Array.from(files ?? [], (file) => file.webkitRelativePath || file.name);
}
