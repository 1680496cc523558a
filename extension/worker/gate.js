/**
 * The extension's own check of everything that goes between the hub and chrome.debugger, by what the person allows. It
 * asks the same questions as the hub's policy and trusts none of its answers.
 *
 * Pure: it is shown commands, results and events in their order, and says what may pass. One gate serves one debugger
 * session.
 */

import { Denied } from "./access.js";
import { Documents } from "./documents.js";
import { EventOwners } from "./event_owners.js";
import { AGENT_WORLD, ANSWERS, LIFECYCLE_EVENTS, WIRE_COMMANDS, needOf } from "./rules.js";
import { isDerived } from "./sites.js";

export class Gate {
  /** @param {import("./access.js").Access} access */
  constructor(access) {
    this.access = access;
    this.documents = new Documents();
    this.owners = new EventOwners(this.documents);
  }

  /**
   * Check a CDP command; throws `Denied`.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  command(method, params, sessionId) {
    const need = needOf(method);
    if (need === "bookkeeping") return;
    if (need === "never") {
      throw new Denied(`${method} reaches beyond the tab, and never passes.`, "Use the tab commands instead.");
    }
    if (need === "navigate") {
      this.access.requireLevel("interact", method);
      if (method === "Page.navigate") this.access.requireDestination(params?.url, this.documents.main);
      return;
    }
    if (need === "world") return this.#code(method, params, sessionId);
    this.access.requireDocument(this.documents.ofSession(sessionId), need, method);
    this.#addresses(method, params);
  }

  /**
   * Check where a move through the history would lead; throws `Denied`.
   * @param {{id: number, url: string}[]} entries
   * @param {number} entryId
   */
  historyMove(entries, entryId) {
    const entry = entries.find(({ id }) => id === entryId);
    if (entry) this.access.requireDestination(entry.url, this.documents.main);
  }

  /**
   * What of a command's result may be seen; throws `Denied` when the page changed hands while it ran.
   * @param {string} method
   * @param {any} result
   * @param {string | undefined} sessionId
   * @returns {any}
   */
  result(method, result, sessionId) {
    if (method === "Page.getFrameTree" && result?.frameTree) this.documents.learn(result.frameTree, sessionId);
    if (method === "Page.getNavigationHistory") return { ...result, entries: result.entries.map(this.#entry, this) };
    if (method === "Network.getAllCookies" || method === "Storage.getCookies" || method === "Network.getCookies") {
      return { ...result, cookies: result.cookies.filter(this.#cookie, this) };
    }
    const need = needOf(method);
    if (need !== "bookkeeping" && need !== "navigate" && need !== "world") {
      this.access.requireDocument(this.documents.ofSession(sessionId), need === "never" ? "full" : need, method);
    }
    return result;
  }

  /**
   * What of an event may pass.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {{params: any | null, answer?: {method: string, params: object}}} `params` null: not forwarded; `answer`:
   *   a command that the extension must send, because the page waits for one
   */
  event(method, params, sessionId) {
    this.documents.observe(method, params, sessionId);
    const owner = this.owners.of(method, params, sessionId);
    if (this.access.allows(owner)) return { params };
    if (method === "Page.javascriptDialogOpening") return { params: { ...params, message: "", defaultPrompt: "" } };
    if (LIFECYCLE_EVENTS.has(method)) return { params };
    return method in ANSWERS ? { params: null, answer: ANSWERS[method](params) } : { params: null };
  }

  /**
   * Check a browser-level command of the wire; throws `Denied`.
   * @param {string} command
   * @param {any} params
   */
  wireCommand(command, params) {
    if (!Object.hasOwn(WIRE_COMMANDS, command)) {
      throw new Denied(`There is no command ${JSON.stringify(command)}.`, "");
    }
    this.access.requireLevel(WIRE_COMMANDS[command], command);
    if (command === "permission") this.access.requireDocument(this.documents.ofSession(undefined), "full", command);
    const leads = (command === "tab_new" || command === "download") && params?.url !== undefined;
    if (leads) this.access.requireDestination(params.url, this.documents.main);
  }

  /**
   * Code that runs in a page: the agent's isolated world needs `read`, the page's own world `full`.
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
      if (params?.worldName === AGENT_WORLD) return; // reveals and runs nothing; what runs there is checked
      return this.access.requireDocument(this.documents.ofFrame(params?.frameId), "full", method);
    }
    if (method === "Runtime.addBinding" && params?.executionContextName === AGENT_WORLD) return;
    const id = params?.uniqueContextId ?? params?.contextId ?? params?.executionContextId;
    const context = this.documents.context(sessionId, id ?? contextOfObject(params?.objectId ?? params?.promiseObjectId));
    if (!context) {
      return this.access.requireDocument(this.documents.ofSession(sessionId), "full", "code in the page's own world");
    }
    const owner = context.frame ? this.documents.ofFrame(context.frame) : this.documents.ofSession(sessionId);
    const isAgent = !context.isDefault && context.name === AGENT_WORLD;
    this.access.requireDocument(owner, isAgent ? "read" : "full", isAgent ? method : "code in the page's own world");
  }

  /**
   * Commands of level `full` that name other sites in their parameters.
   * @param {string} method
   * @param {any} params
   */
  #addresses(method, params) {
    if (this.access.anySite || !params) return;
    if (method === "Network.clearBrowserCookies" || method === "Storage.clearCookies") {
      throw new Denied(`${method} reaches every site of the browser.`, "Ask the person to connect the tab for any site.");
    }
    const domains = [params, ...(params.cookies ?? [])].map(({ domain }) => domain && `https://${bare(domain)}/`);
    const named = [params.url, params.origin, ...(params.urls ?? []), ...(params.cookies ?? []).map(urlOf), ...domains];
    for (const url of named.filter((one) => typeof one === "string" && one !== "")) {
      this.access.requireDestination(url, this.documents.main);
    }
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
    return this.access.allows(`https://${bare(domain)}/`) || this.access.allows(`http://${bare(domain)}/`);
  }
}

/** @param {string} domain */
function bare(domain) {
  return domain.replace(/^\./, "");
}

/** @param {{url?: string}} cookie */
function urlOf({ url }) {
  return url;
}

/**
 * The context that a remote object lives in. Chromium's object ids are `isolate.context.object`.
 * @param {string | undefined} objectId
 * @returns {number | undefined}
 */
function contextOfObject(objectId) {
  const match = /^-?\d+\.(\d+)\.\d+$/.exec(objectId ?? "");
  return match ? Number(match[1]) : undefined;
}
