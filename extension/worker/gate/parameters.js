/**
 * References in the parameters of a CDP command, on a grant of named sites: sites, frames, objects, requests, cookies.
 * None of them may be outside the grant.
 */

import { Denied } from "./access.js";
import { methodRule } from "./rules.js";

export class Parameters {
  /**
   * @param {import("./access.js").Access} access
   * @param {import("./documents.js").Documents} documents
   * @param {import("./requests.js").Requests} requests
   */
  constructor(access, documents, requests) {
    this.access = access;
    this.documents = documents;
    this.requests = requests;
  }

  /**
   * On a grant of named sites: throws `Denied` if a parameter refers to anything else.
   * @param {string} method
   * @param {any} params
   * @param {import("./rules.js").MethodRule} rule
   * @param {string | undefined} sessionId
   */
  check(method, params, rule, sessionId) {
    if (!rule.params) return;
    for (const name of rule.required ?? []) {
      if (!params[name]) throw new Denied(`Without ${name}, ${method} would cover every site.`, `Pass ${name}.`);
    }
    for (const [name, value] of Object.entries(params)) {
      if (!Object.hasOwn(rule.params, name)) {
        throw new Denied(`${name} of ${method} reaches beyond the sites of the grant.`, "Ask the person to connect the tab for any site.");
      }
      if (method !== "Page.navigate" || name !== "url") this.#param(rule.params[name], value, method, sessionId);
    }
  }

  /**
   * The parameters, with the unique id of the execution context for its number or for none: those can mean another
   * document by the time the browser runs the code.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {any}
   */
  bound(method, params, sessionId) {
    const kinds = methodRule(method).params ?? {};
    const names = Object.keys(kinds).filter((name) => kinds[name] === "context");
    // A remote object belongs to one document, and so does a worker.
    if (names.length === 0 || params.objectId !== undefined || this.documents.isWorker(sessionId)) return params;
    const given = names.map((name) => params[name]).find((id) => id !== undefined);
    const uniqueContextId = this.documents.uniqueContext(sessionId, given);
    if (!uniqueContextId) {
      throw new Denied(`${method}: the page has no document in which code can run now.`, "Send it again when it has loaded.");
    }
    const others = Object.entries(params).filter(([name]) => !names.includes(name));
    return { ...Object.fromEntries(others), uniqueContextId };
  }

  /**
   * @param {import("./rules.js").ParamKind} kind
   * @param {any} value
   * @param {string} method
   * @param {string | undefined} sessionId
   */
  #param(kind, value, method, sessionId) {
    switch (kind) {
      case "site":
        for (const url of [value].flat()) this.access.requireDestination(url, this.documents.main);
        return;
      case "domain":
        return this.access.requireDestination(`https://${bare(String(value))}/`, this.documents.main);
      case "cookies":
        for (const cookie of value) {
          if (!cookie.url && !cookie.domain) throw new Denied("A cookie needs a url or a domain.", "Pass one of them.");
          this.check("Network.setCookie", cookie, methodRule("Network.setCookie"), sessionId);
        }
        return;
      case "frame":
        return this.access.requireDocument(this.documents.ofFrame(value), "read", method);
      case "object":
        return this.#object(value, method, sessionId);
      case "arguments":
        for (const { objectId } of value) if (objectId !== undefined) this.#object(objectId, method, sessionId);
        return;
      case "request":
        if (!this.requests.granted(value)) throw new Denied(`${method} refers to a request that no granted document made.`, "");
        if (method === "Network.getResponseBody" && !this.requests.bodyIsReadable(value)) {
          throw new Denied("The response may be another site's, and no page may read it.", "");
        }
        return;
      case "drag":
        if (value?.files?.length) throw new Denied("Files cannot be dragged into a page.", "Use upload.");
    }
  }

  /**
   * @param {string} objectId
   * @param {string} method
   * @param {string | undefined} sessionId
   */
  #object(objectId, method, sessionId) {
    const context = this.documents.context(sessionId, contextOfObject(objectId));
    const owner = context?.frame ? this.documents.ofFrame(context.frame) : this.documents.ofWorker(sessionId);
    this.access.requireDocument(owner, "read", method);
  }
}

/** @param {string} domain as in a cookie */
export function bare(domain) {
  return domain.replace(/^\./, "");
}

/**
 * The context of a remote object. Chromium's object ids are `isolate.context.object`.
 * @param {string | undefined} objectId
 * @returns {number | undefined}
 */
export function contextOfObject(objectId) {
  const match = /^-?\d+\.(\d+)\.\d+$/.exec(objectId ?? "");
  return match ? Number(match[1]) : undefined;
}
