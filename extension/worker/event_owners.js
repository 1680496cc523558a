/**
 * To which document a CDP event belongs: pure, from what the events before it told.
 */

import { isDerived } from "./sites.js";

const MAX_REQUESTS = 4_000;

export class EventOwners {
  /** @param {import("./documents.js").Documents} documents */
  constructor(documents) {
    this.documents = documents;
    /** @type {Map<string, string>} whose a network request is, by session and request id */
    this.requests = new Map();
  }

  /**
   * The URL that says whose document an event tells of.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {string}
   */
  of(method, params, sessionId) {
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
