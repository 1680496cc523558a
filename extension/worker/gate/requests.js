/**
 * The network events of one debugger session: which document made each request, and what may be seen of it. Requests
 * that are not known to be granted are not shown; a granted document's request to a URL outside the grant is reduced
 * (`reduced_events`).
 */

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
 * What has been told of a request. Whether that is granted is asked anew each time: the person may have changed the grant.
 * `url`: where it went last; `wireHost`: the URL of the host that the hop with the last raw headers went to; `owners`: of
 * the document that made it; `cookies`: whether it carried any, undefined if that is not known; `response`: the last one,
 * undefined before it came
 * @typedef {{url: string, wireHost: string, owners: string[], cookies?: boolean,
 *   response?: {type: string, opaque: boolean, readers: string}}} Request
 */

/** Types whose responses scripts of the page read, if the responses allow it. */
const READ_BY_SCRIPTS = new Set(["EventSource", "Fetch", "XHR"]);

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
   * for it may read it itself. As `may_be_read` in kapture/commands/network/requests.py.
   * @param {string} requestId
   */
  bodyIsReadable(requestId) {
    if (this.allows(UNKNOWN)) return true;
    const request = this.requests.get(requestId);
    const response = request?.response;
    if (!request || !this.granted(requestId) || !response || response.opaque) return false;
    if (this.#reaches(request.url)) return true;
    if (!READ_BY_SCRIPTS.has(response.type)) return false;
    if (response.readers === "*") return request.cookies === false;
    return request.owners.some((owner) => URL.canParse(owner) && new URL(owner).origin === response.readers);
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
      case "Network.responseReceivedExtraInfo":
        return this.#rawHeaders(method, params);
    }
    if (method === "Network.responseReceived") this.#answered(params);
    if (!this.granted(params.requestId)) return [];
    const request = this.requests.get(params.requestId);
    if (request && !this.#reaches(request.url)) {
      const reduced = REDUCED[method]?.(params) ?? null;
      return reduced ? [{ method, params: reduced }] : [];
    }
    const opaque = method === "Network.responseReceived" && isMaybeOpaque(params) && !this.allows(UNKNOWN);
    return [{ method, params: opaque ? withoutHeaders(params) : params }];
  }

  /**
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  #sent(params, sessionId) {
    const { requestId, request, redirectResponse } = params;
    const owners = this.#madeBy(params, sessionId);
    const wireHost = (redirectResponse && this.requests.get(requestId)?.wireHost) || UNKNOWN;
    this.#remember(requestId, { url: request.url, wireHost, owners });
    const before = this.held.get(requestId) ?? [];
    this.held.delete(requestId);
    if (!owners.every(this.allows)) return [];
    // A navigation may have been asked for by scripts of another document.
    const own = params.type !== "Document" || this.documents.inSession(sessionId).every(this.allows);
    let shown = !this.#reaches(request.url) ? reducedRequest(params) : own ? params : { ...params, initiator: initiatorType(params) };
    if (redirectResponse && !this.#reaches(redirectResponse.url)) {
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
    const readers = header(params.response?.headers, "access-control-allow-origin").trim();
    if (request) request.response = { type: params.type, opaque: isMaybeOpaque(params), readers };
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
    this.#remember(params.requestId, { url, wireHost: UNKNOWN, owners });
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
    const shown = (event) => (inside ? event : { ...event, params: REDUCED[event.method](event.params) });
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
      request.cookies = header(params.headers, "cookie") !== "";
    }
    if (!this.granted(params.requestId) || !this.allows(request.wireHost)) return [];
    if (method !== "Network.requestWillBeSentExtraInfo") return [{ method, params }];
    /** @param {any} associated */
    const mine = ({ cookie }) => this.allows(`https://${cookie.domain.replace(/^\./, "")}/`);
    return [{ method, params: { ...params, associatedCookies: (params.associatedCookies ?? []).filter(mine) } }];
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
 * @param {Record<string, string>} headers
 * @param {string} name in lower case
 */
function header(headers, name) {
  return Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
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
