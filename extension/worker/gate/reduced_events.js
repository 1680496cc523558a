/**
 * The visible facts of a request outside the grant: method, origin, status, size and time. Pure.
 */

import { reducedReaders } from "./cors.js";

/** The origin of a URL, as a URL; "" if it is none. @param {string} url */
export function originOf(url) {
  return URL.canParse(url) ? `${new URL(url).origin}/` : "";
}

/**
 * A request outside the grant: when and how it was made and to which origin, without path, headers and body.
 * @param {any} params of `Network.requestWillBeSent`
 * @returns {any}
 */
export function reducedRequest(params) {
  const { request, ...rest } = params;
  const { method, initialPriority, referrerPolicy } = request;
  const reduced = { url: originOf(request.url), method, headers: {}, initialPriority, referrerPolicy };
  return { ...rest, initiator: initiatorType(params), request: reduced };
}

/**
 * The initiator of a request, without its position.
 * @param {any} params of `Network.requestWillBeSent`
 */
export function initiatorType({ initiator }) {
  return { type: initiator?.type };
}

/**
 * A response outside the grant, likewise; of its headers only those that say whether the page may read it.
 * @param {any} response CDP Network.Response
 * @returns {any}
 */
export function reducedResponse({ url, headers = {}, ...response }) {
  const { status, encodedDataLength, timing, connectionReused, connectionId, securityState } = response;
  const { fromServiceWorker, serviceWorkerResponseSource } = response; // by which the hub knows that it may be opaque
  const kept = { status, encodedDataLength, timing, connectionReused, connectionId, securityState, fromServiceWorker, serviceWorkerResponseSource };
  return { ...kept, url: originOf(url), statusText: "", headers: reducedReaders(headers), mimeType: "", charset: "" };
}

/** Types whose requests the browser fails if a service worker answers with a response that no page may read. */
const READ_BY_THE_PAGE = new Set(["Document", "EventSource", "Font", "XHR"]);

/**
 * Whether a response may be one of another site that no page may read, under an address of this one: a service worker
 * may answer with what it fetched elsewhere. As `maybe_opaque` in kapture/page/network/network_request.py.
 * @param {any} params of `Network.responseReceived`
 */
export function isMaybeOpaque({ type, response }) {
  const { fromServiceWorker = false, serviceWorkerResponseSource: source } = response ?? {};
  return fromServiceWorker && source !== "fallback-code" && !READ_BY_THE_PAGE.has(type);
}

/** The same event without what headers of the request or response say. @param {any} params of `Network.responseReceived` */
export function withoutHeaders({ response, ...params }) {
  const { requestHeaders: _, ...rest } = response;
  return { ...params, response: { ...rest, statusText: "", headers: {}, mimeType: "", charset: "" } };
}

/** @type {Record<string, (params: any) => any>} the reduced form of other events of such a request; null: nothing */
export const REDUCED = {
  "Network.responseReceived": (params) => ({ ...params, response: reducedResponse(params.response) }),
  "Network.dataReceived": ({ data: _, ...params }) => params,
  "Network.loadingFailed": ({ corsErrorStatus: _, ...params }) => params,
  "Network.loadingFinished": (params) => params,
  "Network.requestServedFromCache": (params) => params,
  "Network.resourceChangedPriority": (params) => params,
  "Network.webSocketClosed": (params) => params,
  "Network.webSocketCreated": ({ initiator: _, url, ...params }) => ({ ...params, url: originOf(url) }),
  "Network.webSocketFrameError": ({ errorMessage: _, ...params }) => ({ ...params, errorMessage: "failed" }),
  "Network.webSocketHandshakeResponseReceived": ({ response, ...params }) => ({
    ...params,
    response: { status: response.status, statusText: "", headers: {} },
  }),
  "Network.webSocketWillSendHandshakeRequest": (params) => ({ ...params, request: { headers: {} } }),
};

const SECRET_HEADERS = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);

/**
 * A paused request, without the credentials that it carries.
 * @param {any} params of `Fetch.requestPaused` or `Fetch.authRequired`
 */
export function withoutCredentials({ request, responseHeaders, ...params }) {
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => !SECRET_HEADERS.has(name.toLowerCase()));
  return { ...params, request: { ...request, headers: Object.fromEntries(headers) } };
}

/**
 * Text without the paths of URLs outside the grant.
 * @param {string} text
 * @param {(url: string) => boolean} granted
 */
export function withoutAddresses(text, granted) {
  return text.replace(/\b(?:https?|wss?):\/\/[^\s'"<>)\]]+/g, (url) => (granted(webAddress(url)) ? url : originOf(url)));
}

/**
 * The http URL for a WebSocket's URL.
 * @param {string} url
 */
export function webAddress(url) {
  return url.replace(/^ws/, "http");
}

/**
 * A target without what it shows.
 * @param {any} target CDP Target.TargetInfo
 */
export function withoutPage({ targetId, type, attached, openerId }) {
  return { targetId, type, title: "", url: "", attached, canAccessOpener: false, ...(openerId ? { openerId } : {}) };
}
