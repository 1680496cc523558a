// The agent: Kapture's script in every page, in an isolated world that the page cannot see or change.
//
// The hub calls `kapture.run(name, args, base, call)`; the answer is a JSON string, because one string crosses CDP and
// the extension far faster than a tree of values. `base` is the highest ref number that the hub has seen for this
// frame; new refs are numbered after it, so that no ref is ever used in two documents. `call` is the hub's number of
// this call, by which it may cancel it.

import { adoptInternals } from "./accessibility/adopt_internals.js";
import { internalsAreStale, takeInternals } from "./accessibility/internals.js";
import { currentElement } from "./snapshot/snapshot.js";
import { watchEscape } from "./act/focus.js";
import { observeChanges } from "./act/effects/changes.js";
import { watchPrinting } from "./act/effects/printing.js";
import { listenForChoosers } from "./act/effects/file_chooser.js";
import { takeProbes } from "./act/guards/probe_guard.js";
import { refuseAtFirst } from "./act/guards/input_guard.js";
import { listenForPresses } from "./act/guards/press_guard.js";
import { listenForChanges } from "./act/filling/reported_change.js";
import { listenForSubmitting } from "./act/effects/refused_form.js";
import { listenForText } from "./act/guards/text_guard.js";
import { adoptShadowRoot, countHosts, takeHosts } from "./dom/closed_roots.js";
import { adoptFrame } from "./dom/frames.js";
import { adoptOwnElement, listenForOwnInput } from "./dom/own_element.js";
import { adoptListeners, listenersAreStale, rememberNodes, rootsVersion, shadowRoots } from "./dom/listeners.js";
import { readAtOnce } from "./dom/forms/named_controls.js";
import { Reading } from "./dom/reading.js";
import { highestRef, startRefsAfter } from "./dom/refs.js";
import { cancel, pause, startCall } from "./dom/waiting.js";
import { AgentError } from "./errors.js";
import { functions } from "./functions.js";
import { watchTitle } from "./read/document.js";
import { expectRecording, listenIn } from "./record/capture.js";
import { watchPasswords } from "./record/passwords.js";
import { hide as hideShown, listenForStop, show } from "./picture/shown.js";
import { state } from "./state.js";

/**
 * Call a function of the agent: at once, or when what has to come first is over.
 * @param {string} name
 * @param {unknown} args
 * @param {number} base
 * @param {number} call
 * @returns {Promise<string> | string}
 */
function run(name, args, base, call) {
  startRefsAfter(base);
  const waits = !functions[name].ungated && isEmpty() && !state.empty.stays;
  return waits ? hasRoot().then(() => start(name, args, call)) : start(name, args, call);
}

/** Whether nothing of the document has been parsed yet. */
function isEmpty() {
  const empty = document.readyState === "loading" && !document.documentElement;
  if (!empty) state.empty.stays = false;
  return empty;
}

/** A document that is still empty after this time, in milliseconds, is one that a script has opened and not written. */
const EMPTY_MS = 1000;

/** Resolves when something of the document has been parsed, or nothing is to be expected. @returns {Promise<void>} */
function hasRoot() {
  return new Promise((resolve) => {
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true });
    document.addEventListener("readystatechange", look); // a page may have removed its root, and no other comes
    pause(EMPTY_MS).then(() => {
      state.empty.stays = isEmpty();
      end();
    });

    function look() {
      if (!isEmpty()) end();
    }

    function end() {
      observer.disconnect();
      document.removeEventListener("readystatechange", look);
      resolve();
    }
  });
}

/**
 * Call it now, unless the hub must find out something first.
 * @param {string} name
 * @param {unknown} args
 * @param {number} call
 * @returns {Promise<string> | string}
 */
function start(name, args, call) {
  const reading = new Reading();
  const asked = whatToAsk(name, reading);
  const listenersKnown = state.listeners.answered;
  state.internals.answered = state.listeners.answered = false;
  if (asked) return JSON.stringify({ ask: asked, top: highestRef(), roots: rootsVersion() });
  startCall(call);
  try {
    if (functions[name].readsAtOnce)
      return readAtOnce(reading.scopes(), () => answer(name, functions[name].run(args, reading, listenersKnown), reading));
    const value = functions[name].run(args, reading, listenersKnown);
    return value instanceof Promise ? value.then((late) => answer(name, late), failure) : answer(name, value);
  } catch (error) {
    return failure(error);
  }
}

/**
 * The questions that only the hub can answer.
 * @param {string} name
 * @param {Reading} reading
 */
function whatToAsk(name, reading) {
  const { looksAtListeners, looksAtRoles } = functions[name];
  if (looksAtRoles && internalsAreStale(looksAtRoles === "again", reading)) return "internals";
  return looksAtListeners && listenersAreStale() ? "listeners" : undefined;
}

/**
 * @param {string} name
 * @param {any} value
 * @param {Reading} reading of the page as it is now
 */
function answer(name, value, reading = new Reading()) {
  if (functions[name].mayAsk && value.ask) return JSON.stringify({ ...value, top: highestRef(), roots: rootsVersion() });
  const hosts = functions[name].looksIntoClosedRoots?.(value) ? countHosts(reading) : 0;
  return bounded({ value, top: highestRef(), ...(hosts > 0 && { hosts }) });
}

/** The longest answer, in characters of JSON. */
const MOST_CHARS = 16_000_000;

/**
 * As JSON; an error if that would be so long that the hub, which works for other tabs as well, should not have to read it.
 * @param {object} answer
 * @returns {string}
 */
function bounded(answer) {
  const text = JSON.stringify(answer);
  if (text.length <= MOST_CHARS) return text;
  const millions = Math.round(text.length / 1e6);
  const hint = "Ask for a part of the page: an element, a region, or fewer results.";
  return failure(new AgentError("EXECUTION_ERROR", `The page's answer has ${millions} million characters, which is too long.`, hint));
}

/** @param {unknown} error */
function failure(error) {
  const known = error instanceof AgentError;
  const message = error instanceof Error ? error.message : String(error);
  return bounded({
    error: {
      code: known ? error.code : "EXECUTION_ERROR",
      message: known ? message : `The page agent failed: ${message}`,
      hint: known ? error.hint : "",
      data: known ? error.data : { stack: error instanceof Error ? error.stack : undefined },
    },
    top: highestRef(),
  });
}

const world = /** @type {any} */ (globalThis);

// Not once a world: the document that replaces the initial empty one of a window may get its globals.
if (world.kapture?.document !== document) {
  takeProbes();
  listenForStop();
  refuseAtFirst();
  listenForOwnInput();
  listenForPresses();
  listenForText();
  listenForChanges();
  listenForChoosers();
  listenForSubmitting();
  observeChanges();
  watchEscape();
  watchPasswords();
  watchPrinting();
  watchTitle();
  world.kapture = {
    document,
    run,
    cancel,
    adoptFrame,
    adoptInternals,
    adoptListeners,
    adoptOwnElement,
    /** @param {ShadowRoot} root */
    adoptShadowRoot: (root) => {
      adoptShadowRoot(root);
      listenIn(root);
    },
    expectRecording,
    show,
    hideShown,
    takeHosts,
    takeInternals,
    /** Of the element of a ref the hub may need a remote object. */
    element: currentElement,
    rememberNodes,
    shadowRoots,
  };
}
