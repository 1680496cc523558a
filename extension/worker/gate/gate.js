/**
 * The extension's own check of everything between the hub and chrome.debugger, by its own copy of the grant: it blocks
 * what the hub's policy, its page engine or a client's raw CDP would let through by mistake. It is no defence against a
 * hub that has been taken over (docs/SECURITY.md).
 *
 * Pure: it processes commands, results and events in order, and decides what may pass. One gate serves one debugger
 * session.
 */

import { Denied } from "./access.js";
import { domainGranted } from "./cookies.js";
import { UNKNOWN } from "./document_owner.js";
import { Documents } from "./documents.js";
import { EventOwners } from "./event_owners.js";
import { PAGE_SCRIPTS, PAGE_TOOLS_SCRIPT } from "./page_scripts.js";
import { Parameters, contextOfObject } from "./parameters.js";
import { withoutAddresses, withoutPage } from "./reduced_events.js";
import { Requests } from "./requests.js";
import { pastes } from "./pasting_keys.js";
import { ACCEPT_CALL, AGENT_WORLD, ANSWERS, GUARD_CALL, PLATFORM_CALL, VEIL_CALL, WIRE_COMMANDS, eventRule, methodRule, undoes } from "./rules.js";
import { isDerived, protocolOf } from "./sites.js";

/** @typedef {import("./requests.js").CdpEvent} CdpEvent */

export class Gate {
  /** @param {import("./access.js").Access} access */
  constructor(access) {
    this.access = access;
    /** @param {string} owner */
    this.allows = (owner) => access.allows(owner);
    this.documents = new Documents(this.allows);
    this.owners = new EventOwners(this.documents);
    this.requests = new Requests(this.documents, this.allows);
    this.parameters = new Parameters(access, this.documents, this.requests);
    /** @type {string | null} the owner of the open dialog's document */
    this.dialog = null;
    /** @type {Set<string>} sessions in which the browser repeats its entries until it answers `Log.enable` */
    this.replaying = new Set();
  }

  /**
   * Check a CDP command; throws `Denied`.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {any} the parameters to send
   */
  command(method, params, sessionId) {
    this.#check(method, params, sessionId);
    if (method === "Log.enable") this.replaying.add(sessionId ?? "");
    return this.access.anySite ? params : this.parameters.bound(method, params, sessionId);
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  #check(method, params, sessionId) {
    const rule = methodRule(method);
    if (rule.level === "never") {
      throw new Denied(`${method} reaches beyond the tab and is never allowed.`, "Use the tab commands instead.");
    }
    if (undoes(method, params)) return;
    if (rule.named === "no") this.access.requireAnySite(method);
    if (!this.access.anySite) this.parameters.check(method, params ?? {}, rule, sessionId);
    if (method === "Page.handleJavaScriptDialog") return this.#dialogAnswer(params);
    if (rule.level === "open") return;
    if (rule.outside) {
      this.access.requireLevel(rule.level, method);
      if (method === "Page.navigate") this.#opening(params?.url);
      return;
    }
    if (rule.code) return this.#code(method, params, sessionId);
    const pasting = method === "Input.dispatchKeyEvent" && pastes(params);
    const what = pasting ? "pasting the person's clipboard" : method;
    this.access.requireDocument(this.documents.ofSession(sessionId), pasting ? "full" : rule.level, what);
  }

  /**
   * Check the destination of a history navigation; throws `Denied`.
   * @param {{id: number, url: string}[]} entries
   * @param {number} entryId
   */
  historyMove(entries, entryId) {
    const entry = entries.find(({ id }) => id === entryId);
    if (entry) this.destination(entry.url);
  }

  /**
   * Check the destination of a navigation or download that this tab begins; throws `Denied`.
   * @param {unknown} url
   */
  destination(url) {
    this.access.requireDestination(url, this.documents.main);
  }

  /**
   * The same for one that opens a page. What a data: URL holds is the client's own, and so is the code in it.
   * @param {unknown} url
   */
  #opening(url) {
    if (protocolOf(String(url)) === "data:") this.access.requireDocument(this.documents.main, "full", "opening a data: URL");
    this.destination(url);
  }

  /**
   * The visible part of a command's result; throws `Denied` if the page's owner changed while it ran.
   * @param {string} method
   * @param {any} result
   * @param {string | undefined} sessionId
   * @returns {any}
   */
  result(method, result, sessionId) {
    if (method === "Log.enable") this.replaying.delete(sessionId ?? "");
    this.documents.answered(method, result, sessionId);
    const rule = methodRule(method);
    let shown = result;
    for (const [key, kind] of Object.entries(rule.result ?? {})) {
      const found = result?.[key] ?? [];
      const rows = () => (kind === "history" ? found.map(this.#entry, this) : found.filter(this.#cookie, this));
      shown = { ...shown, [key]: kind === "target" ? withoutPage(found) : rows() };
    }
    if (rule.level !== "open" && rule.level !== "never" && !rule.outside && !rule.code) {
      this.access.requireDocument(this.documents.ofSession(sessionId), rule.level, method);
    }
    return shown;
  }

  /**
   * The part of an event that may pass.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {{events: CdpEvent[], answer?: {method: string, params: object}}} `events`: what is forwarded, this one
   *   and those that waited for it; `answer`: a command that the extension must send, because the page waits for one
   */
  event(method, params, sessionId) {
    this.documents.observe(method, params, sessionId);
    const events = this.#passing(method, params, sessionId);
    return events.length === 0 && method in ANSWERS ? { events, answer: ANSWERS[method](params) } : { events };
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {CdpEvent[]}
   */
  #passing(method, params, sessionId) {
    const rule = eventRule(method);
    if (rule.named === "no" && !this.access.anySite) return [];
    if (rule.owner === "request") {
      const unanswerable = method.startsWith("Fetch.") && !this.access.allows("", "interact"); // of a level narrowed since
      return unanswerable ? [] : this.requests.take(method, params, sessionId);
    }
    if (rule.owner === "entry") return this.#logEntry(params, sessionId);
    if (rule.owner === "tools") return this.#tools(method, params);
    if (method === "Debugger.paused" && !this.access.anySite) {
      // Only the fact that it is paused passes: the call stack may be another site's.
      const pausedInside = this.allows(this.documents.ofSession(sessionId));
      return pausedInside ? [{ method, params: { callFrames: [], reason: params.reason } }] : [];
    }
    const owners = this.owners.of(rule.owner, params, sessionId);
    if (rule.owner === "dialog") [this.dialog] = owners;
    else if (method === "Page.javascriptDialogClosed") this.dialog = null;
    if (owners.every(this.allows)) return [{ method, params }];
    if (method === "Page.javascriptDialogOpening") {
      return [{ method, params: { ...params, message: "", defaultPrompt: "" } }];
    }
    return rule.outside ? [{ method, params }] : [];
  }

  /**
   * The browser's own entries identify at most the request that they are about. Those that it repeats may be of documents
   * of the process that are gone.
   * @param {any} params of `Log.entryAdded`
   * @param {string | undefined} sessionId
   * @returns {CdpEvent[]}
   */
  #logEntry({ entry, ...rest }, sessionId) {
    const request = entry?.networkRequestId;
    const present = this.access.anySite || !this.replaying.has(sessionId ?? "");
    const known = request === undefined ? present && this.documents.inSession(sessionId).every(this.allows) : this.requests.granted(request);
    if (!known) return [];
    const { text = "", url } = entry;
    const shown = { ...entry, text: withoutAddresses(text, this.allows), ...(url ? { url: withoutAddresses(url, this.allows) } : {}) };
    return [{ method: "Log.entryAdded", params: { ...rest, entry: shown } }];
  }

  /**
   * Tools that documents declare: only those of granted ones.
   * @param {string} method
   * @param {any} params of `WebMCP.toolsAdded` or `WebMCP.toolsRemoved`
   * @returns {CdpEvent[]}
   */
  #tools(method, { tools = [] }) {
    const granted = tools.filter((/** @type {{frameId: string}} */ { frameId }) => this.allows(this.documents.ofFrame(frameId)));
    return granted.length > 0 ? [{ method, params: { tools: granted } }] : [];
  }

  /**
   * Check a browser-level command of the wire; throws `Denied`.
   * @param {string} command
   * @param {any} params
   */
  wireCommand(command, params) {
    if (!Object.hasOwn(WIRE_COMMANDS, command)) {
      throw new Denied(`Unknown command ${JSON.stringify(command)}.`, "");
    }
    if (command === "download" && ["cancel", "remove"].includes(params?.action)) return; // nothing of it is left then
    this.access.requireLevel(WIRE_COMMANDS[command], command);
    if (command === "permission") this.access.requireDocument(this.documents.ofSession(undefined), "full", command);
    if (params?.url === undefined) return;
    if (command === "tab_new") this.#opening(params.url);
    if (command === "download") this.destination(params.url);
  }

  /**
   * A dialog blocks its page, so it may always be dismissed. Accepting or answering it is an action on its page.
   * @param {any} params
   */
  #dialogAnswer(params) {
    if (params?.accept !== true && params?.promptText === undefined) return;
    this.access.requireDocument(this.dialog ?? UNKNOWN, "interact", "accepting a dialog");
  }

  /**
   * Code that runs in a page: the agent's isolated world needs `read`, and so does a known read-only script; any other
   * in the main world needs `full`.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  #code(method, params, sessionId) {
    if (method === "Page.addScriptToEvaluateOnNewDocument") {
      if (params?.worldName === AGENT_WORLD) return;
      this.access.requireLevel("full", "a script in the page's own world");
      if (!this.access.anySite) {
        throw new Denied(
          "A script for every later document would also run on sites outside the grant.",
          "Ask the person to connect the tab for any site.",
          { ask: { sites: ["*"], level: "full" } },
        );
      }
      return;
    }
    if (method === "Page.createIsolatedWorld") {
      if (params?.worldName === AGENT_WORLD) return; // creating it runs nothing; what runs there later is checked
      return this.access.requireDocument(this.documents.ofFrame(params?.frameId), "full", method);
    }
    if (method === "Runtime.addBinding" && params?.executionContextName === AGENT_WORLD) return;
    const { uniqueContextId, contextId, executionContextId, objectId, promiseObjectId } = params ?? {};
    const [id, object] = [uniqueContextId ?? contextId ?? executionContextId, objectId ?? promiseObjectId];
    const context = this.documents.context(sessionId, id ?? contextOfObject(object));
    if (!context) {
      if ((id !== undefined || object !== undefined) && !this.access.anySite) {
        throw new Denied(`${method} refers to an object or context of an unknown document.`, "Take a new snapshot.");
      }
      return this.access.requireDocument(this.documents.ofSession(sessionId), "full", "code in the page's own world");
    }
    const owner = context.frame ? this.documents.ofFrame(context.frame) : this.documents.ofSession(sessionId);
    const isAgent = !context.isDefault && context.name === AGENT_WORLD;
    if (isAgent && method === "Runtime.evaluate") {
      if ([PLATFORM_CALL, VEIL_CALL, ACCEPT_CALL].some((known) => known.test(params.expression))) return;
      if (GUARD_CALL.test(params.expression)) return this.access.requireLevel("interact", method);
    }
    const expression = method === "Runtime.evaluate" ? params?.expression : undefined;
    const reads = isAgent || PAGE_SCRIPTS.has(expression);
    if (!reads && callsPageTool(expression)) {
      return this.access.requireDocument(owner, "interact", "calling a tool of the page");
    }
    this.access.requireDocument(owner, reads ? "read" : "full", reads ? method : "code in the page's own world");
  }

  /** @param {any} entry CDP Page.NavigationEntry */
  #entry(entry) {
    if (this.access.allows(entry.url) || isDerived(entry.url)) return entry;
    const origin = URL.canParse(entry.url) ? new URL(entry.url).origin : "";
    return { ...entry, url: `${origin}/`, userTypedURL: `${origin}/`, title: "" };
  }

  /** @param {{domain: string}} cookie */
  #cookie({ domain }) {
    if (this.access.anySite) return true;
    return domainGranted(domain, this.allows);
  }
}

/**
 * Whether an expression calls the page tools script with a text.
 * @param {unknown} expression
 */
function callsPageTool(expression) {
  if (typeof expression !== "string" || !expression.startsWith(`${PAGE_TOOLS_SCRIPT}(`) || !expression.endsWith(")")) return false;
  try {
    return typeof JSON.parse(expression.slice(PAGE_TOOLS_SCRIPT.length + 1, -1)) === "string";
  } catch {
    return false;
  }
}
