// The agent: what Kapture runs inside pages, in an isolated world that the page cannot see or change.
//
// The hub calls `kapture.run(name, args, base)`; the answer is a JSON string, because one string crosses
// CDP and the extension far faster than a tree of values. `base` is the highest ref number that the hub has
// seen for this frame; refs made here go on from it, so that no ref is ever used for two documents.

import { hostsToAsk, takeHosts } from "./closed.js";
import { adoptFrame, adoptShadowRoot } from "./dom.js";
import { AgentError } from "./errors.js";
import { PARTS_OF_ACTIONS, functions } from "./functions.js";
import { listen } from "./guard.js";
import { refs } from "./refs.js";
import { rest, watchForms } from "./settle.js";
import { cancel, starting } from "./waiting.js";
import { watchTitle } from "./title.js";

/**
 * @param {string} name
 * @param {unknown} args
 * @param {number} base
 * @param {number} call the hub's number of this call, by which it may cancel it
 * @returns {Promise<string> | string}
 */
function run(name, args, base, call) {
  refs.startAfter(base);
  const resting = PARTS_OF_ACTIONS.has(name) ? undefined : rest();
  return resting ? resting.then(() => start(name, args, call)) : start(name, args, call);
}

/**
 * @param {string} name
 * @param {unknown} args
 * @param {number} call
 * @returns {Promise<string> | string}
 */
function start(name, args, call) {
  starting(call);
  try {
    const value = functions[name](args);
    return value instanceof Promise ? value.then((late) => answer(name, late), failure) : answer(name, value);
  } catch (error) {
    return failure(error);
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function answer(name, value) {
  const hosts = hostsToAsk(name, value);
  return JSON.stringify(hosts > 0 ? { value, top: refs.top, hosts } : { value, top: refs.top });
}

/** @param {unknown} error */
function failure(error) {
  const known = error instanceof AgentError;
  const message = error instanceof Error ? error.message : String(error);
  return JSON.stringify({
    error: {
      code: known ? error.code : "EXECUTION_ERROR",
      message: known ? message : `The page agent failed: ${message}`,
      hint: known ? error.hint : "",
      data: known ? error.data : { stack: error instanceof Error ? error.stack : undefined },
    },
    top: refs.top,
  });
}

listen();
watchForms();
watchTitle();

/** @type {any} */ (globalThis).kapture ??= {
  run,
  cancel,
  adoptFrame,
  adoptShadowRoot,
  takeHosts,
  /** For the hub, which needs a handle of an element to hand to CDP. @param {number} ref */
  element: (ref) => refs.element(ref),
};
