/**
 * To which documents a CDP event belongs: pure, from what the events before it told. What is not known belongs to no one.
 */

const UNKNOWN = "unknown:";
const MAX_DOWNLOADS = 1_000;

export class EventOwners {
  /** @param {import("./documents.js").Documents} documents */
  constructor(documents) {
    this.documents = documents;
    /** @type {Map<string, string>} whose each download is, by the browser's id for it */
    this.downloads = new Map();
  }

  /**
   * The URLs that say whose documents an event tells of: all of them must be granted.
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
        return [this.#context(params.executionContextId ?? params.exceptionDetails?.executionContextId, sessionId)];
      case "dialog":
        return [params.frameId ? this.documents.ofFrame(params.frameId) : params.url || UNKNOWN];
      case "download":
        return [this.downloads.get(params.guid) ?? UNKNOWN];
      default:
        return this.documents.inSession(sessionId);
    }
  }

  /**
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  #frame({ frameId, frame, context, guid }, sessionId) {
    const id = frameId ?? frame?.id ?? context?.auxData?.frameId;
    const owner = id ? this.documents.ofFrame(id) : this.documents.ofWorker(sessionId);
    if (guid) {
      this.downloads.set(guid, owner);
      const oldest = this.downloads.keys().next().value;
      if (this.downloads.size > MAX_DOWNLOADS && oldest !== undefined) this.downloads.delete(oldest);
    }
    return owner;
  }

  /**
   * @param {number | undefined} id
   * @param {string | undefined} sessionId
   */
  #context(id, sessionId) {
    const context = id === undefined ? undefined : this.documents.context(sessionId, id);
    return context?.frame ? this.documents.ofFrame(context.frame) : this.documents.ofWorker(sessionId);
  }
}
