/**
 * What is shown of a request outside the grant: method, origin, status, size and time. Pure.
 */

/** @param {string} url */
export function originOf(url) {
  return URL.canParse(url) ? `${new URL(url).origin}/` : "";
}

/**
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
 * What began a request, without where that stands.
 * @param {any} params of `Network.requestWillBeSent`
 */
export function initiatorType({ initiator }) {
  return { type: initiator?.type };
}

/**
 * @param {any} response CDP Network.Response
 * @returns {any}
 */
export function reducedResponse({ url, headers = {}, ...response }) {
  const { status, encodedDataLength, timing, connectionReused, connectionId, securityState } = response;
  const kept = { status, encodedDataLength, timing, connectionReused, connectionId, securityState };
  return { ...kept, url: originOf(url), statusText: "", headers: readers(headers), mimeType: "", charset: "" };
}

/**
 * The one header that says whether the page itself may read the response.
 * @param {Record<string, string>} headers
 */
function readers(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() === "access-control-allow-origin"));
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
