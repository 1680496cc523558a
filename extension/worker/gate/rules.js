/**
 * Which CDP methods and events may pass, and which other commands the hub may send to a tab. The table is
 * kapture/cdp/rules.json, which the hub enforces too; kapture/cdp/rules.py defines its terms.
 */

import { CDP_RULES } from "./cdp_rules.js";

/** @typedef {"read" | "interact" | "full"} Level */
/** @typedef {"document" | "session" | "tab" | "browser"} Span */
/** @typedef {"client" | "engine" | "no"} Named who may use it on a grant of named sites */
/** @typedef {"plain" | "engine" | "site" | "domain" | "cookies" | "file" | "drag" | "frame" | "context" | "object"
 *   | "arguments" | "request"} ParamKind */
/** @typedef {"none" | "main" | "frame" | "context" | "dialog" | "entry" | "request" | "download" | "tools" | "invocation"
 *   | "session"} Owner */
/** @typedef {{level: "open" | Level | "never", span: Span, named: Named, params?: Record<string, ParamKind>,
 *   required?: string[], result?: Record<string, "cookies" | "history" | "target">, code?: boolean, outside?: "destination"}} MethodRule */
/** @typedef {{span: Span, owner: Owner, named: Named, outside?: boolean, answer?: boolean}} EventRule */
/** @typedef {{domains: Record<string, "never">, methods: Record<string, MethodRule>, events: Record<string, EventRule>,
 *   undo: Record<string, {method: string, params: Record<string, any>}>}} CdpRules */

/** @type {CdpRules} */
const RULES = CDP_RULES;

/** @type {Record<Level, number>} */
export const RANK = { read: 1, interact: 2, full: 3 };

/** The isolated world of the hub's page agent; code in it does not run in the page's main world. */
export const AGENT_WORLD = "kapture";

/** The call of the agent by which a document outside the grant refuses input. */
export const GUARD_CALL = /^kapture\.run\("refuseInput",\{\},\d+,\d+\)$/;

/** The one by which it accepts input again, as every new document must at every level. */
export const ACCEPT_CALL = /^kapture\.run\("acceptInput",\{\},\d+,\d+\)$/;

/** Calls of the agent by which a document outside the grant covers itself in a picture, and shows itself again. */
export const VEIL_CALL = /^kapture\.run\("(?:veil|unveil)",\{\},\d+,\d+\)$/;

/** The one query of the agent with the same answer in every document: the operating system. */
export const PLATFORM_CALL = /^kapture\.run\("platform",\{\},\d+,\d+\)$/;

/** @type {MethodRule} */
const NEVER = { level: "never", span: "browser", named: "no" };
/** @type {MethodRule} */
const UNLISTED_METHOD = { level: "full", span: "browser", named: "no" };
/** @type {EventRule} */
const UNLISTED_EVENT = { span: "session", owner: "session", named: "no" };

/**
 * @param {string} method
 * @returns {MethodRule} for a method that the table does not name: only on a grant of any site
 */
export function methodRule(method) {
  if (Object.hasOwn(RULES.methods, method)) return RULES.methods[method];
  return Object.hasOwn(RULES.domains, method.split(".", 1)[0]) ? NEVER : UNLISTED_METHOD;
}

/**
 * @param {string} method
 * @returns {EventRule} likewise
 */
export function eventRule(method) {
  return Object.hasOwn(RULES.events, method) ? RULES.events[method] : UNLISTED_EVENT;
}

/** How settings are undone, by the command that does it. @type {Map<string, object[]>} */
const UNDO = new Map();
for (const { method, params } of Object.values(RULES.undo)) UNDO.set(method, [...(UNDO.get(method) ?? []), params]);

/**
 * Whether a command undoes a setting that lasts as long as its session, and so restores what is the browser's own.
 * @param {string} method
 * @param {any} params
 */
export function undoes(method, params) {
  return UNDO.get(method)?.some((undo) => isSame(undo, params ?? {})) ?? false;
}

/**
 * @param {any} one
 * @param {any} other
 * @returns {boolean} whether two values of JSON are the same
 */
function isSame(one, other) {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const names = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}

/**
 * Events that pass outside the grant: positions and life cycle of documents, not their content.
 */
export const LIFECYCLE_EVENTS = new Set(
  Object.entries(RULES.events).flatMap(([method, rule]) => (rule.outside ? [method] : [])),
);

/**
 * Events that pause the page until they are answered. Outside the grant the extension answers them itself.
 * @type {Record<string, (params: any) => {method: string, params: object}>}
 */
export const ANSWERS = {
  "Fetch.requestPaused": ({ requestId }) => ({ method: "Fetch.continueRequest", params: { requestId } }),
  "Fetch.authRequired": ({ requestId }) => ({
    method: "Fetch.continueWithAuth",
    params: { requestId, authChallengeResponse: { response: "Default" } },
  }),
  "Debugger.paused": () => ({ method: "Debugger.resume", params: {} }),
};

/** The commands, other than `cdp`, that the hub may send to a tab, and the level each needs. */
export const WIRE_COMMANDS = /** @type {Record<string, Level>} */ ({
  tab_new: "interact",
  tab_close: "interact",
  tab_activate: "interact",
  tab_leave: "interact",
  tab_ready: "read",
  tab_shown: "read",
  download: "interact",
  permission: "full",
});
