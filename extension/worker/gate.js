/**
 * The extension's own check of everything that goes between the hub and chrome.debugger, by the grant that the person
 * gave. It asks the same questions as the hub's policy and trusts none of its answers.
 *
 * Pure: it is shown commands, results and events in their order, and says what may pass.
 */

import { Documents } from "./documents.js";
import { AGENT_WORLD, ANSWERS, LIFECYCLE_EVENTS, RANK, WIRE_COMMANDS, needOf } from "./rules.js";
import { covers, isDerived, siteOf } from "./sites.js";

/** @typedef {import("./rules.js").Level} Level */
/** @typedef {{sites: string[], level: Level}} Grant */

/** A command that may not pass. `data.ask` is the grant that would let it through. */
export class Denied extends Error {
  /**
   * @param {string} message
   * @param {string} hint
   * @param {object} [data]
   */
  constructor(message, hint, data = {}) {
    super(message);
    this.name = "Denied";
    this.code = "POLICY_DENIED";
    this.hint = hint;
    this.data = data;
  }
}

const MAX_REQUESTS = 4_000;

export class Gate {
  /** @param {Grant} grant */
  constructor(grant) {
    this.grant = grant;
    /** @type {Map<string, Grant & {command: string}>} allowed beyond the grant for one step each, by approval id */
    this.once = new Map();
    this.documents = new Documents();
    /** @type {Map<string, string>} whose a network request is, by session and request id */
    this.requests = new Map();
  }

  /**
   * @param {string} owner the URL that says whose document it is
   * @param {Level} [level]
   * @returns {boolean}
   */
  granted(owner, level = "read") {
    // Kapture's own pages are where the person decides; no grant covers them.
    if (owner.startsWith("chrome-extension:")) return false;
    const anywhere = !owner.startsWith("file:");
    return [this.grant, ...this.once.values()].some(
      (grant) =>
        RANK[grant.level] >= RANK[level] &&
        (owner === "" || (anywhere && grant.sites.includes("*")) || covers(grant, owner)),
    );
  }

  /** Whether every site is granted. */
  get anySite() {
    return this.grant.sites.includes("*");
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
      this.#level("interact", method);
      if (method === "Page.navigate") this.#destination(params?.url);
      return;
    }
    if (need === "world") return this.#code(method, params, sessionId);
    this.#document(this.documents.ofSession(sessionId), need, method);
    this.#addresses(method, params);
  }

  /**
   * Check where a move through the history would lead; throws `Denied`.
   * @param {{id: number, url: string}[]} entries
   * @param {number} entryId
   */
  historyMove(entries, entryId) {
    const entry = entries.find(({ id }) => id === entryId);
    if (entry) this.#destination(entry.url);
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
      this.#document(this.documents.ofSession(sessionId), need === "never" ? "full" : need, method);
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
    const owner = this.#ownerOf(method, params, sessionId);
    if (this.granted(owner)) return { params };
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
    this.#level(WIRE_COMMANDS[command], command);
    if (command === "permission") this.#document(this.documents.ofSession(undefined), "full", command);
    if ((command === "tab_new" || command === "download") && params?.url !== undefined) this.#destination(params.url);
  }

  /**
   * @param {Level} level
   * @param {string} what
   */
  #level(level, what) {
    const grants = [this.grant, ...this.once.values()];
    if (grants.some((grant) => RANK[grant.level] >= RANK[level])) return;
    throw new Denied(
      `This tab is connected for "${this.grant.level}", and ${what} needs "${level}".`,
      `Ask the person to set the tab's level to "${level}" in the Kapture popup or panel.`,
      { ask: { sites: this.grant.sites, level } },
    );
  }

  /**
   * @param {string} owner
   * @param {Level} level
   * @param {string} what
   */
  #document(owner, level, what) {
    if (this.granted(owner, level)) return;
    if (covers(this.grant, owner) || owner === "") return this.#level(level, what);
    throw this.#outside(siteOf(owner), "This page", level);
  }

  /** @param {unknown} url */
  #destination(url) {
    if (typeof url !== "string") throw new Denied("A navigation needs a URL.", "");
    if (isDerived(url) && !/^javascript:/i.test(url.trim())) {
      if (/^about:/i.test(url.trim())) return;
      return this.#document(this.documents.main, "interact", "opening it");
    }
    if (/^\s*javascript:/i.test(url)) return this.#document(this.documents.main, "full", "a javascript: address");
    const grants = [this.grant, ...this.once.values()];
    if (grants.some((grant) => RANK[grant.level] >= RANK.interact && covers(grant, url))) return;
    throw this.#outside(siteOf(url), url.slice(0, 80), "interact");
  }

  /**
   * @param {string | null} site
   * @param {string} name what to call a page of no site
   * @param {Level} level
   */
  #outside(site, name, level) {
    const sites = this.grant.sites.join(", ") || "none";
    if (site === null) {
      return new Denied(`${name} belongs to no site that a tab can be connected for.`, "Navigate to a web page.");
    }
    return new Denied(
      `${site} is outside the sites that this tab is connected for (${sites}).`,
      `Ask the person to allow ${site} in the Kapture popup or panel.`,
      { site, ask: { sites: [site], level } },
    );
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
      this.#level("full", "a script in the page's own world");
      if (!this.anySite) {
        throw new Denied(
          "A script for every later document would also run on sites outside the grant.",
          "Ask the person to connect the tab for any site.",
          { ask: { sites: ["*"], level: "full" } },
        );
      }
      return;
    }
    if (method === "Page.createIsolatedWorld") {
      if (params?.worldName === AGENT_WORLD) return; // tells and runs nothing; what runs there is checked
      return this.#document(this.documents.ofFrame(params?.frameId), "full", method);
    }
    if (method === "Runtime.addBinding" && params?.executionContextName === AGENT_WORLD) return;
    const id = params?.uniqueContextId ?? params?.contextId ?? params?.executionContextId;
    const context = this.documents.context(sessionId, id ?? contextOfObject(params?.objectId ?? params?.promiseObjectId));
    if (!context) {
      return this.#document(this.documents.ofSession(sessionId), "full", "code in the page's own world");
    }
    const owner = context.frame ? this.documents.ofFrame(context.frame) : this.documents.ofSession(sessionId);
    const isAgent = !context.isDefault && context.name === AGENT_WORLD;
    this.#document(owner, isAgent ? "read" : "full", isAgent ? method : "code in the page's own world");
  }

  /**
   * Commands of level `full` that name other sites in their parameters.
   * @param {string} method
   * @param {any} params
   */
  #addresses(method, params) {
    if (this.anySite || !params) return;
    if (method === "Network.clearBrowserCookies" || method === "Storage.clearCookies") {
      throw new Denied(`${method} reaches every site of the browser.`, "Ask the person to connect the tab for any site.");
    }
    const domains = [params, ...(params.cookies ?? [])].map(({ domain }) => domain && `https://${bare(domain)}/`);
    const named = [params.url, params.origin, ...(params.urls ?? []), ...(params.cookies ?? []).map(urlOf), ...domains];
    for (const url of named) if (typeof url === "string" && url !== "") this.#destination(url);
  }

  /** @param {any} entry CDP Page.NavigationEntry */
  #entry(entry) {
    if (this.granted(entry.url) || isDerived(entry.url)) return entry;
    const origin = URL.canParse(entry.url) ? new URL(entry.url).origin : "";
    return { ...entry, url: `${origin}/`, userTypedURL: `${origin}/`, title: "" };
  }

  /** @param {{domain: string}} cookie */
  #cookie({ domain }) {
    if (this.anySite) return true;
    return this.granted(`https://${bare(domain)}/`) || this.granted(`http://${bare(domain)}/`);
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {string}
   */
  #ownerOf(method, params, sessionId) {
    if (method.startsWith("Network.") || method.startsWith("Fetch.")) return this.#request(method, params, sessionId);
    const contextId = params?.executionContextId ?? params?.exceptionDetails?.executionContextId;
    const context = contextId === undefined ? undefined : this.documents.context(sessionId, contextId);
    if (context?.frame) return this.documents.ofFrame(context.frame);
    if (method.startsWith("Page.") && params?.frameId) return this.documents.ofFrame(params.frameId);
    return this.documents.ofSession(sessionId);
  }

  /**
   * A request belongs to the document that made it; a navigation's to the document that it will become.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {string}
   */
  #request(method, params, sessionId) {
    const key = `${sessionId ?? ""} ${params?.requestId}`;
    if (method === "Network.requestWillBeSent" || method === "Fetch.requestPaused") {
      const isDocument = (params.type ?? params.resourceType) === "Document";
      const made = isDocument ? params.request?.url : (params.documentURL ?? this.documents.ofFrame(params.frameId));
      const owner = !made || isDerived(made) ? this.documents.ofFrame(params.frameId) : made;
      if (method === "Network.requestWillBeSent") this.#remember(key, owner);
      return owner;
    }
    return this.requests.get(key) ?? this.documents.ofSession(sessionId);
  }

  /**
   * @param {string} key
   * @param {string} owner
   */
  #remember(key, owner) {
    this.requests.delete(key);
    this.requests.set(key, owner);
    if (this.requests.size <= MAX_REQUESTS) return;
    const oldest = this.requests.keys().next().value;
    if (oldest !== undefined) this.requests.delete(oldest);
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
