// Every function that the hub may call, declared once with what the hub must know of it. The hub's side of this table
// (kapture/page/agent_functions.py) is generated from it by `npm run build`.

import { snapshot } from "./accessibility/snapshot.js";
import { insertHtml, offerPaste } from "./act/clipboard.js";
import { dragPosition, dragStarted, endDrag, watchDrag } from "./act/drag.js";
import { finishFill } from "./act/fill.js";
import { firstChange } from "./act/first_change.js";
import { focused, focusedFrame } from "./act/focus.js";
import { framePoint } from "./act/frame_point.js";
import { acceptInput, refuseInput } from "./act/input_guard.js";
import { findOption, optionTaken, scrollList } from "./act/listbox.js";
import { afterPress, expectNoPress } from "./act/press_guard.js";
import { rangeState } from "./act/range.js";
import { ready } from "./act/ready.js";
import { scrollEnd, scrollState, scrollToElement, scrollToPosition } from "./act/scroll.js";
import { settle } from "./act/settle.js";
import { submitButton, submitForm } from "./act/submit.js";
import { toggleState } from "./act/toggle.js";
import { collect, watch } from "./act/transients.js";
import { typedText } from "./act/typed_text.js";
import { fileInput } from "./act/upload.js";
import { awaitPaint } from "./dom/waiting.js";
import { find } from "./locate/find.js";
import { locate } from "./locate/locate.js";
import { metrics, scrollBack } from "./picture/metrics.js";
import { draw, erase } from "./picture/overlay.js";
import { box, intoFrame, outOfFrame } from "./read/boxes.js";
import {
  documentState, knowsLocale, permissionStates, platform, state, userAgent, viewportChange, viewportSize,
} from "./read/document.js";
import { elementFacts, identify } from "./read/elements.js";
import { readHtml } from "./read/html.js";
import { readLinks } from "./read/links.js";
import { storage } from "./read/storage.js";
import { listTables, tableRows } from "./read/table.js";
import { readText } from "./read/text.js";
import { see, seeChange } from "./read/wait.js";
import { startRecording, stopRecording } from "./record/capture.js";
import { recordedElements } from "./record/recorded.js";

/**
 * @typedef {object} AgentFunction
 * @property {(args: any, reading?: any) => unknown} run
 * @property {boolean} [readsAtOnce] it only reads, before anything else can run: one reading of the page serves all of the
 *   call
 * @property {boolean} [ungated] it reveals nothing of the document's contents: the grant is not asked
 * @property {boolean} [partOfAction] it must not wait until what an earlier action left behind has run
 * @property {boolean} [looksAtPage] it shows what an action did: where that has left nothing behind, it waits for nothing
 * @property {boolean} [withoutFrames] it need not know which element shows which frame
 * @property {string[]} [retry] it only reads: when the document goes away meanwhile, the next one may be asked, unless
 *   one of these arguments is given ("target.ref": `ref` in the argument `target`)
 * @property {(value: any) => boolean} [looksIntoClosedRoots] whether this answer may depend on what closed shadow roots
 *   hold: then the hub hands them in and calls again
 * @property {"again" | "known"} [looksAtRoles] it looks for roles and names: first the hub says what custom elements say
 *   of themselves; "again" where it must be up to date
 * @property {boolean} [looksAtListeners] it shows what can be clicked: first the hub says what the page listens to
 */

const always = () => true;

/** @type {Record<string, AgentFunction>} */
export const functions = {
  // Looking at the page.
  snapshot: {
    run: snapshot,
    readsAtOnce: true,
    retry: [],
    looksAtPage: true,
    looksIntoClosedRoots: always,
    looksAtListeners: true,
    looksAtRoles: "again",
  },
  find: { run: find, retry: [], looksIntoClosedRoots: always, looksAtRoles: "again" },
  locate: { run: locate, retry: [], looksIntoClosedRoots: always, looksAtRoles: "known" },
  see: { run: see, retry: [] },
  seeChange: { run: seeChange },

  // Reading it.
  readText: { run: readText, retry: ["ref"] },
  readHtml: { run: readHtml, retry: ["ref"] },
  readLinks: { run: readLinks, retry: ["ref"] },
  listTables: { run: listTables, retry: [] },
  tableRows: { run: tableRows },
  elementFacts: { run: elementFacts },
  identify: { run: identify },
  box: { run: box },
  intoFrame: { run: intoFrame },
  outOfFrame: { run: outOfFrame, ungated: true },

  // The document as a whole.
  state: { run: state },
  documentState: { run: documentState, retry: [] },
  viewportSize: { run: viewportSize, ungated: true, withoutFrames: true },
  viewportChange: { run: viewportChange, retry: [] },
  platform: { run: platform, ungated: true, partOfAction: true, withoutFrames: true, retry: [] },
  userAgent: { run: userAgent, retry: [] },
  knowsLocale: { run: knowsLocale, retry: [] },
  permissionStates: { run: permissionStates, retry: [] },
  storage: { run: storage },

  // Acting on elements. What is prepared changes the page, and is not done twice.
  ready: {
    run: ready,
    partOfAction: true,
    looksAtRoles: "known",
    retry: ["target.ref", "prepare"],
    looksIntoClosedRoots: ({ status }) => status !== "ready",
  },
  framePoint: { run: framePoint, ungated: true, partOfAction: true },
  expectNoPress: { run: expectNoPress, ungated: true, partOfAction: true },
  refuseInput: { run: refuseInput, ungated: true, partOfAction: true, withoutFrames: true },
  acceptInput: { run: acceptInput, ungated: true, partOfAction: true, withoutFrames: true },
  afterPress: { run: afterPress, ungated: true, partOfAction: true, withoutFrames: true },
  finishFill: { run: finishFill, partOfAction: true, withoutFrames: true },
  typedText: { run: typedText, partOfAction: true, withoutFrames: true },
  toggleState: { run: toggleState, withoutFrames: true, looksAtRoles: "again" },
  rangeState: { run: rangeState, withoutFrames: true, looksAtRoles: "again" },
  findOption: { run: findOption },
  optionTaken: { run: optionTaken },
  scrollList: { run: scrollList },
  scrollState: { run: scrollState },
  scrollToPosition: { run: scrollToPosition },
  scrollEnd: { run: scrollEnd },
  scrollToElement: { run: scrollToElement },
  focused: { run: focused },
  focusedFrame: { run: focusedFrame, ungated: true },
  submitButton: { run: submitButton },
  submitForm: { run: submitForm },
  fileInput: { run: fileInput },
  offerPaste: { run: offerPaste },
  insertHtml: { run: insertHtml },
  watchDrag: { run: watchDrag, ungated: true },
  dragPosition: { run: dragPosition },
  dragStarted: { run: dragStarted, ungated: true },
  endDrag: { run: endDrag, ungated: true },

  // After an action.
  settle: { run: settle, ungated: true, partOfAction: true, withoutFrames: true },
  /** Nothing but the wait that comes before every function that is no part of an action. */
  rest: { run: () => null, ungated: true, withoutFrames: true, retry: [] },
  watch: { run: watch, ungated: true, partOfAction: true },
  collect: { run: collect, ungated: true, partOfAction: true },

  firstChange: { run: firstChange },

  // Recording.
  startRecording: { run: startRecording, partOfAction: true, withoutFrames: true, retry: [] },
  stopRecording: { run: stopRecording, ungated: true, partOfAction: true, withoutFrames: true },
  recordedElements: { run: recordedElements, partOfAction: true },

  // Pictures.
  metrics: { run: metrics },
  draw: { run: draw },
  erase: { run: erase },
  scrollBack: { run: scrollBack },
  awaitPaint: { run: awaitPaint, ungated: true, withoutFrames: true },
};
