/**
 * To which documents a CDP event belongs: pure, from what the events before it told. What is not known belongs to no one.
 */

const UNKNOWN = "unknown:";
/** So many downloads, and calls of pages' tools, are remembered. */
const MOST_KEPT = 1_000;

export class EventOwners {
  /** @param {import("./documents.js").Documents} documents */
  constructor(documents) {
    this.documents = documents;
    /** @type {Map<string, string>} whose each download is, by the browser's id for it */
    this.downloads = new Map();
    /** @type {Map<string, string>} the frame whose tool each call is of, by the browser's id for it */
    this.invocations = new Map();
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
   * Whose the document is that the frame shows now: a tool may have led to another one, whose data its answer can hold.
   * @param {string} id
   */
  #invocation(id) {
    const frame = this.invocations.get(id);
    return frame === undefined ? UNKNOWN : this.documents.ofFrame(frame);
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

/**
 * Remember, within bounds.
 * @param {Map<string, string>} kept
 * @param {string} key
 * @param {string} value
 */
function keep(kept, key, value) {
  kept.set(key, value);
  const oldest = kept.keys().next().value;
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}
