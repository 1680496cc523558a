/**
 * The documents that a CDP event belongs to: pure, from earlier events. An unknown owner is nobody.
 */

import { UNKNOWN } from "./document_owner.js";

/** How many downloads, and calls of page tools, are remembered. */
const MOST_KEPT = 1_000;

export class EventOwners {
  /** @param {import("./documents.js").Documents} documents */
  constructor(documents) {
    this.documents = documents;
    /** @type {Map<string, string>} the owner of each download, by CDP guid */
    this.downloads = new Map();
    /** @type {Map<string, string>} the frame of each page tool's call, by CDP invocation id */
    this.invocations = new Map();
  }

  /**
   * The URLs of the documents that an event reveals something of: all of them must be granted.
   * @param {import("./rules.js").Owner} kind
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {string[]}
   */
  of(kind, params, sessionId) {
    switch (kind) {
      case "none":
        return [];
      case "main":
        return [this.documents.ofSession(sessionId)];
      case "frame":
        return [this.#frame(params, sessionId)];
      case "context":
        return this.#context(params.executionContextId ?? params.exceptionDetails?.executionContextId, sessionId);
      case "dialog":
        return [params.frameId ? this.documents.ofFrame(params.frameId) : params.url || UNKNOWN];
      case "download":
        return [this.downloads.get(params.guid) ?? UNKNOWN];
      case "invocation":
        return [this.#invocation(params.invocationId)];
      default:
        return this.documents.inSession(sessionId);
    }
  }

  /**
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  #frame({ frameId, frame, context, guid, invocationId }, sessionId) {
    const id = frameId ?? frame?.id ?? context?.auxData?.frameId;
    const owner = id ? this.documents.ofFrame(id) : this.documents.ofWorker(sessionId);
    if (guid) keep(this.downloads, guid, owner);
    if (invocationId) keep(this.invocations, invocationId, frameId);
    return owner;
  }

  /**
   * The owner of the document that the frame shows now: a tool may have navigated to another one, whose data is in its
   * answer.
   * @param {string} id
   */
  #invocation(id) {
    const frame = this.invocations.get(id);
    return frame === undefined ? UNKNOWN : this.documents.ofFrame(frame);
  }

  /**
   * The owner of a context's frame, and its own origin: a process may report what a document logs before, or without,
   * which document the frame shows.
   * @param {number | undefined} id
   * @param {string | undefined} sessionId
   * @returns {string[]}
   */
  #context(id, sessionId) {
    const context = this.documents.context(sessionId, id);
    const owner = context?.frame ? this.documents.ofFrame(context.frame) : this.documents.ofWorker(sessionId);
    return context && /^https?:/.test(context.origin) ? [owner, context.origin] : [owner];
  }
}

/**
 * Remember a limited number.
 * @param {Map<string, string>} kept
 * @param {string} key
 * @param {string} value
 */
function keep(kept, key, value) {
  kept.set(key, value);
  const oldest = kept.keys().next().value;
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}
