// Every function that the hub may call, declared once with its properties. The hub's table
// (kapture/page/agent_functions.py) is generated from this one by `npm run build`.

import { snapshot } from "./snapshot/snapshot.js";
import { insertHtml, offerPaste } from "./act/clipboard.js";
import { effects, watch } from "./act/effects/changes.js";
import { dragPosition, dragStarted, endDrag, watchDrag } from "./act/drag.js";
import { finishFill } from "./act/filling/fill.js";
import { focused, focusedFrame, submitButton, submitForm } from "./act/focus.js";
import { framePoint, ready } from "./act/readiness/ready.js";
import { acceptInput, refuseInput } from "./act/guards/input_guard.js";
import { unwanted } from "./act/options/chips.js";
import { findOption, optionTaken, scrollList } from "./act/options/listbox.js";
import { probed } from "./act/guards/probe_guard.js";
import { afterPress, expectNoPress } from "./act/guards/press_guard.js";
import { rangeState } from "./act/filling/range.js";
import { notePositions, scrollAllBack, scrollEnd, scrollState, scrollToElement, scrollToPosition } from "./act/scroll.js";
import { choiceDiffers } from "./act/options/selected_options.js";
import { toggleState } from "./act/filling/toggle.js";
import { readBack } from "./act/filling/read_back.js";
import { droppedFiles, fileInput, givenFiles, takesDrop, watchDrop } from "./act/upload.js";
import { awaitPaint } from "./dom/waiting.js";
import { find } from "./locate/find.js";
import { locate } from "./locate/candidates.js";
import { draw, endTransitions, erase, metrics, scrollBack } from "./picture/overlay.js";
import { unveil, veil } from "./picture/veil.js";
import { box, intoFrame, outOfFrame } from "./read/boxes.js";
import { documentState, knowsLocale, permissionStates, platform, readText, state, userAgent, viewportChange, viewportSize } from "./read/document.js";
import { identify, inspect } from "./read/elements.js";
import { readHtml } from "./read/html.js";
import { readLinks } from "./read/links.js";
import { storage } from "./read/storage.js";
import { listTables, tableRows } from "./read/table.js";
import { see, seeChange } from "./read/wait.js";
import { startRecording, stopRecording } from "./record/capture.js";
import { recordedElements } from "./record/recorded.js";

/**
 * @typedef {object} AgentFunction
 * @property {(args: any, reading: any, listenersKnown: boolean) => unknown} run `reading`: of the page as it
 *   is when the call begins; `listenersKnown`: the hub has just passed the page's listeners
 * @property {boolean} [readsAtOnce] it only reads, synchronously: one reading of the page serves the whole
 *   call
 * @property {boolean} [ungated] it reveals nothing of the document's contents: the gate is not asked
 * @property {boolean} [withoutFrames] it does not use the mapping of elements to frames
 * @property {string[]} [retry] it only reads: if the document goes away meanwhile, the next one may be asked, unless
 *   one of these arguments is given ("target.ref": `ref` in the argument `target`)
 * @property {(value: any) => boolean} [looksIntoClosedRoots] whether this answer may depend on the contents of closed
 *   shadow roots: then the hub passes them to the agent and calls again
 * @property {"again" | "known"} [looksAtRoles] it uses roles and names: the hub first passes the internal semantics of
 *   custom elements; "again" if they must be up to date
 * @property {boolean} [looksAtListeners] it shows what is clickable: the hub first passes the page's listeners
 * @property {boolean} [mayAsk] instead of a value it may return `{ ask, timeout }`: what the hub must find out before it
 *   calls again, with this `timeout`
 */

const always = () => true;

/** @type {Record<string, AgentFunction>} */
export const functions = {
  // Snapshots and searching.
  snapshot: {
    run: snapshot,
    readsAtOnce: true,
    retry: [],
    looksIntoClosedRoots: always,
    looksAtListeners: true,
    looksAtRoles: "again",
  },
  find: { run: find, retry: [], looksIntoClosedRoots: always, looksAtRoles: "again" },
  locate: { run: locate, retry: [], looksIntoClosedRoots: always, looksAtRoles: "known" },
  inspect: { run: inspect, readsAtOnce: true, retry: [], looksIntoClosedRoots: always, looksAtRoles: "known" },
  see: { run: see, retry: [] },
  seeChange: { run: seeChange },

  // Reading.
  readText: { run: readText, retry: ["ref"] },
  readHtml: { run: readHtml, retry: ["ref"] },
  readLinks: { run: readLinks, retry: ["ref"] },
  listTables: { run: listTables, retry: [] },
  tableRows: { run: tableRows },
  identify: { run: identify },
  box: { run: box },
  intoFrame: { run: intoFrame },
  outOfFrame: { run: outOfFrame, ungated: true },

  // The document as a whole.
  state: { run: state },
  documentState: { run: documentState, retry: [] },
  viewportSize: { run: viewportSize, ungated: true, withoutFrames: true },
  viewportChange: { run: viewportChange, retry: [] },
  platform: { run: platform, ungated: true, withoutFrames: true, retry: [] },
  userAgent: { run: userAgent, retry: [] },
  knowsLocale: { run: knowsLocale, retry: [] },
  permissionStates: { run: permissionStates, retry: [] },
  storage: { run: storage },

  // Acting on elements. Preparations change the page, and are not repeated.
  ready: {
    run: ready,
    looksAtRoles: "known",
    mayAsk: true,
    retry: ["target.ref", "prepare"],
    looksIntoClosedRoots: ({ status }) => status !== "ready",
  },
  framePoint: { run: framePoint, ungated: true },
  expectNoPress: { run: expectNoPress, ungated: true },
  refuseInput: { run: refuseInput, ungated: true, withoutFrames: true },
  acceptInput: { run: acceptInput, ungated: true, withoutFrames: true },
  afterPress: { run: afterPress, ungated: true, withoutFrames: true },
  finishFill: { run: finishFill, withoutFrames: true },
  readBack: { run: readBack, withoutFrames: true },
  toggleState: { run: toggleState, withoutFrames: true, looksAtRoles: "again" },
  rangeState: { run: rangeState, withoutFrames: true, looksAtRoles: "again" },
  findOption: { run: findOption },
  optionTaken: { run: optionTaken },
  choiceDiffers: { run: choiceDiffers },
  unwanted: { run: unwanted },
  scrollList: { run: scrollList },
  scrollState: { run: scrollState },
  scrollToPosition: { run: scrollToPosition },
  scrollEnd: { run: scrollEnd },
  notePositions: { run: notePositions },
  scrollAllBack: { run: scrollAllBack },
  scrollToElement: { run: scrollToElement },
  focused: { run: focused },
  probed: { run: probed, ungated: true, withoutFrames: true },
  focusedFrame: { run: focusedFrame, ungated: true },
  submitButton: { run: submitButton },
  submitForm: { run: submitForm },
  fileInput: { run: fileInput, withoutFrames: true },
  givenFiles: { run: givenFiles, withoutFrames: true },
  watchDrop: { run: watchDrop, withoutFrames: true },
  takesDrop: { run: takesDrop, withoutFrames: true },
  droppedFiles: { run: droppedFiles, withoutFrames: true },
  offerPaste: { run: offerPaste },
  insertHtml: { run: insertHtml },
  watchDrag: { run: watchDrag, ungated: true },
  dragPosition: { run: dragPosition },
  dragStarted: { run: dragStarted, ungated: true },
  endDrag: { run: endDrag, ungated: true },

  // What an action changes.
  watch: { run: watch, ungated: true },
  effects: { run: effects },

  // Recording.
  startRecording: { run: startRecording, withoutFrames: true, retry: [] },
  stopRecording: { run: stopRecording, ungated: true, withoutFrames: true },
  recordedElements: { run: recordedElements },

  // Pictures.
  metrics: { run: metrics },
  draw: { run: draw },
  erase: { run: erase },
  veil: { run: veil, ungated: true, withoutFrames: true },
  unveil: { run: unveil, ungated: true, withoutFrames: true },
  endTransitions: { run: endTransitions, withoutFrames: true, looksIntoClosedRoots: always },
  scrollBack: { run: scrollBack },
  awaitPaint: { run: awaitPaint, ungated: true, withoutFrames: true },
};
