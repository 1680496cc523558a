/**
 * The network events of one debugger session: which document made each request, and what may be seen of it. Requests
 * that are not known to be granted are not shown; a granted document's request to a URL outside the grant is reduced
 * (`reduced_events`).
 */

import { withoutOtherCookies } from "./cookies.js";
import { MAX_HEADS, header, pageMayRead, readersOf, reducedHead, sentHead } from "./cors.js";
import { UNKNOWN } from "./document_owner.js";
import {
  REDUCED,
  initiatorType,
  isMaybeOpaque,
  reducedRequest,
  reducedResponse,
  webAddress,
  withoutCredentials,
  withoutHeaders,
} from "./reduced_events.js";
import { isDerived } from "./sites.js";

const MAX_REQUESTS = 4_000;
const MAX_HELD = 100;

/** @typedef {{method: string, params: any}} CdpEvent */
/**
 * The reported facts of a request. Whether they are granted is asked anew each time: the person may have changed the grant.
 * `url`: where it went last; `hops`: every URL; `wireHost`: the URL of the host that the hop with the last raw headers
 * went to; `owners`: of the document that made it; `response`: the last one, undefined before it came or if it failed
 * @typedef {{url: string, method: string, hops: string[], wireHost: string, owners: string[],
 *   response?: {type: string, opaque: boolean, readers: import("./cors.js").Readers}}} Request
 */

export class Requests {
  /**
   * @param {import("./documents.js").Documents} documents
   * @param {(owner: string) => boolean} allows
   */
  constructor(documents, allows) {
    this.documents = documents;
    this.allows = allows;
    /** @type {Map<string, Request>} */
    this.requests = new Map();
    /** @type {Map<string, import("./cors.js").SentHead[]>} what went over the network for each request, in order */
    this.heads = new Map();
    /** @type {Map<string, CdpEvent[]>} events that came before their request's document was known */
    this.held = new Map();
  }

  /**
   * Whether a request is a granted document's.
   * @param {string | undefined} requestId
   */
  granted(requestId) {
    const request = this.requests.get(requestId ?? "");
    return request ? request.owners.every(this.allows) : this.allows(UNKNOWN);
  }

  /**
   * Whether the body of a response may pass: that of another site, or of what may be one, only if the page that asked
   * for it could read it itself. As `may_be_read` in kapture/commands/network/requests.py.
   * @param {string} requestId
   */
  bodyIsReadable(requestId) {
    if (this.allows(UNKNOWN)) return true;
    const request = this.requests.get(requestId);
    const response = request?.response;
    if (!request || !this.granted(requestId) || !response || response.opaque) return false;
    if (this.#reaches(request.url)) return true;
    return pageMayRead({ ...request, ...response, heads: this.heads.get(requestId) ?? [] });
  }

  /**
   * @param {string} method of the domain Network or Fetch
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {CdpEvent[]} what may pass now
   */
  take(method, params, sessionId) {
    switch (method) {
      case "Network.requestWillBeSent":
        return this.#sent(params, sessionId);
      case "Fetch.requestPaused":
      case "Fetch.authRequired":
        return this.#paused(method, params);
      case "Network.webSocketCreated":
        return this.#socketCreated(params, sessionId);
      case "Network.webSocketWillSendHandshakeRequest":
        return this.#handshake(params);
      case "Network.requestWillBeSentExtraInfo":
        this.#noteHead(params);
        return this.#rawHeaders(method, params);
      case "Network.responseReceivedExtraInfo":
        return this.#rawHeaders(method, params);
    }
    if (method === "Network.responseReceived") this.#answered(params);
    if (method === "Network.loadingFailed") delete this.requests.get(params.requestId)?.response;
    if (!this.granted(params.requestId)) return [];
    const request = this.requests.get(params.requestId);
    if (request && !this.#reaches(request.url)) {
      const reduced = REDUCED[method]?.(params) ?? null;
      return reduced ? [{ method, params: reduced }] : [];
    }
    const opaque = method === "Network.responseReceived" && isMaybeOpaque(params) && !this.allows(UNKNOWN);
    return [{ method, params: opaque ? withoutHeaders(params) : this.#withoutCookies(method, params) }];
  }

  /**
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  #sent(params, sessionId) {
    const { requestId, request, redirectResponse } = params;
    const owners = this.#madeBy(params, sessionId);
    const last = redirectResponse && this.requests.get(requestId);
    const hops = [...(last?.hops ?? []), request.url].slice(-MAX_HEADS);
    this.#remember(requestId, { url: request.url, method: request.method, hops, wireHost: last?.wireHost ?? UNKNOWN, owners });
    const before = this.held.get(requestId) ?? [];
    this.held.delete(requestId);
    if (!owners.every(this.allows)) return [];
    // A navigation may have been asked for by scripts of another document.
    const own = params.type !== "Document" || this.documents.inSession(sessionId).every(this.allows);
    let shown = !this.#reaches(request.url) ? reducedRequest(params) : own ? params : { ...params, initiator: initiatorType(params) };
    if (redirectResponse && !this.#reaches(redirectResponse.url ?? UNKNOWN)) {
      shown = { ...shown, redirectResponse: reducedResponse(redirectResponse) };
    }
    const sent = [{ method: "Network.requestWillBeSent", params: shown }];
    return sent.concat(before.flatMap((event) => this.#rawHeaders(event.method, event.params)));
  }

  /**
   * The owner of a request: the document that makes it; for a navigation, the new document.
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {string[]} the URLs that say so
   */
  #madeBy({ type, resourceType, request, documentURL, frameId }, sessionId) {
    if ((type ?? resourceType) === "Document" && !isDerived(request.url)) return [request.url];
    const owners = frameId ? [this.documents.ofFrame(frameId)] : this.documents.inSession(sessionId);
    return documentURL && !isDerived(documentURL) ? [...owners, documentURL] : owners;
  }

  /** @param {any} params of `Network.responseReceived` */
  #answered(params) {
    const request = this.requests.get(params.requestId);
    if (request) request.response = { type: params.type, opaque: isMaybeOpaque(params), readers: readersOf(params.response?.headers) };
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  #paused(method, params) {
    if (!params.frameId || !this.#madeBy(params, undefined).every(this.allows)) return [];
    return [{ method, params: this.#reaches(params.request.url) ? params : withoutCredentials(params) }];
  }

  /**
   * A WebSocket's owner is not known before its handshake, unless every document of the session is granted.
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  #socketCreated(params, sessionId) {
    const event = { method: "Network.webSocketCreated", params };
    const [url, owners] = [webAddress(params.url), this.documents.inSession(sessionId)];
    this.#remember(params.requestId, { url, method: "GET", hops: [url], wireHost: UNKNOWN, owners });
    if (owners.every(this.allows)) return [this.#reaches(url) ? event : { ...event, params: REDUCED[event.method](params) }];
    this.#hold(params.requestId, event);
    return [];
  }

  /** @param {any} params */
  #handshake(params) {
    const method = "Network.webSocketWillSendHandshakeRequest";
    const request = this.requests.get(params.requestId);
    if (!request) return [];
    const origin = header(params.request.headers, "origin");
    const known = this.granted(params.requestId);
    if (origin !== "" && this.allows(origin)) request.owners = [origin];
    const before = this.held.get(params.requestId) ?? [];
    this.held.delete(params.requestId);
    if (!this.granted(params.requestId)) return [];
    const inside = this.#reaches(request.url);
    /** @param {CdpEvent} event */
    const shown = (event) => ({
      ...event,
      params: inside ? this.#withoutCookies(event.method, event.params) : REDUCED[event.method](event.params),
    });
    return [...(known ? [] : before), { method, params }].map(shown);
  }

  /**
   * Raw headers. Those of a redirect have the same id, in no certain order with the request itself: the headers
   * themselves tell which site they are for.
   * @param {string} method
   * @param {any} params
   * @returns {CdpEvent[]}
   */
  #rawHeaders(method, params) {
    const request = this.requests.get(params.requestId);
    if (!request) {
      if (this.allows(UNKNOWN)) return [{ method, params }];
      this.#hold(params.requestId, { method, params });
      return [];
    }
    if (method === "Network.requestWillBeSentExtraInfo") {
      const host = header(params.headers, ":authority") || header(params.headers, "host");
      request.wireHost = host === "" ? UNKNOWN : `https://${host}/`;
    }
    if (!this.granted(params.requestId)) return [];
    const sent = method === "Network.requestWillBeSentExtraInfo";
    if (!this.allows(request.wireHost)) {
      const { requestId, headers } = params;
      return sent ? [{ method, params: { requestId, associatedCookies: [], headers: reducedHead(headers) } }] : [];
    }
    return [{ method, params: this.#withoutCookies(method, params) }];
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  #withoutCookies(method, params) {
    return this.allows(UNKNOWN) ? params : withoutOtherCookies(method, params, this.allows);
  }

  /** @param {any} params of `Network.requestWillBeSentExtraInfo` */
  #noteHead({ requestId, headers }) {
    const heads = this.heads.get(requestId) ?? [];
    if (heads.length < MAX_HEADS) heads.push(sentHead(headers));
    this.heads.set(requestId, heads);
    trim(this.heads, MAX_REQUESTS);
  }

  /** @param {string} url */
  #reaches(url) {
    return isDerived(url) || this.allows(url);
  }

  /**
   * @param {string} requestId
   * @param {CdpEvent} event
   */
  #hold(requestId, event) {
    const events = this.held.get(requestId) ?? [];
    if (events.length < 4) events.push(event);
    this.held.set(requestId, events);
    trim(this.held, MAX_HELD);
  }

  /**
   * @param {string} requestId
   * @param {Request} request
   */
  #remember(requestId, request) {
    this.requests.delete(requestId);
    this.requests.set(requestId, request);
    trim(this.requests, MAX_REQUESTS);
  }
}

/**
 * Drop the oldest beyond a number.
 * @param {Map<string, unknown>} map
 * @param {number} most
 */
function trim(map, most) {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
