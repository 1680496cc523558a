// Every function that the hub may call, by name. A module a family; this list is the agent's whole surface.

import { ready } from "./actionability.js";
import * as capture from "./capture.js";
import { finishFill, focused, focusedFrame, submitButton, submitForm, toggleState } from "./fill.js";
import { find } from "./find.js";
import { afterPress, expectPress, framesDrawn } from "./guard.js";
import { framePlace } from "./point.js";
import * as reading from "./read.js";
import { scrollPlace, scrollRest, scrollState, scrollToElement } from "./scroll.js";
import { chooserText, findOption, optionTaken, scrollList } from "./select.js";
import { settle } from "./settle.js";
import { locate } from "./targets.js";
import { dragStarted, endDrag, insertHtml, offerPaste, watchDrag } from "./transfer.js";
import { collect, watch } from "./transients.js";
import { fileInput } from "./upload.js";
import { snapshot } from "./tree.js";

/** @type {Record<string, (args: any) => unknown>} */
export const functions = {
  /** Whether the agent is there, and what document it is in. */
  state: () => ({ url: location.href, title: document.title, readyState: document.readyState }),

  ...reading,
  ...capture,
  fileInput,
  snapshot,
  find,
  watch,
  collect,
  locate,
  ready,
  framePlace,
  expectNoPress: () => expectPress(null) ?? null,
  afterPress,
  framesDrawn,
  finishFill,
  focused,
  focusedFrame,
  toggleState,
  submitButton,
  submitForm,
  findOption,
  optionTaken,
  scrollList,
  chooserText,
  scrollState,
  scrollPlace,
  scrollRest,
  scrollToElement,
  offerPaste,
  insertHtml,
  watchDrag,
  dragStarted,
  endDrag,
  settle,
  /** Nothing but the wait that comes before every function that is no part of an action. */
  rest: () => null,
  platform: () => navigator.platform,
  viewportSize: () => ({ width: innerWidth, height: innerHeight }),
};

/** The parts of an action, which must not wait until what an earlier one left behind has run. */
export const PARTS_OF_ACTIONS = new Set(["ready", "framePlace", "expectNoPress", "afterPress", "finishFill", "settle", "watch", "platform"]);
