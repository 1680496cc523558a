/**
 * Whose cookies are shown and changed, on a grant of named sites: those of granted domains. One of the domain above is
 * every subdomain's. As in kapture/commands/cdp_access.py, by the same examples (tests/policy/cookies.json). Pure.
 */

/** @typedef {(url: string) => boolean} Allows whether the grant covers a URL */

/**
 * @param {unknown} domain as in a cookie
 * @param {Allows} allows
 */
export function domainGranted(domain, allows) {
  const bare = typeof domain === "string" ? domain.replace(/^\./, "") : "";
  return bare !== "" && (allows(`https://${bare}/`) || allows(`http://${bare}/`));
}

/**
 * The headers in an event of a granted request without the cookies of sites that are not granted.
 * @param {string} method
 * @param {any} params
 * @param {Allows} allows
 * @returns {any}
 */
export function withoutOtherCookies(method, params, allows) {
  const mine = (/** @type {any} */ { cookie }) => domainGranted(cookie?.domain, allows);
  switch (method) {
    case "Network.requestWillBeSentExtraInfo": {
      const associatedCookies = (params.associatedCookies ?? []).filter(mine);
      const used = associatedCookies.filter((/** @type {any} */ { blockedReasons }) => !blockedReasons?.length);
      const sent = used.map((/** @type {any} */ { cookie }) => `${cookie.name}=${cookie.value}`).join("; ");
      return { ...params, associatedCookies, headers: withCookies(params.headers, sent) };
    }
    case "Network.responseReceivedExtraInfo": {
      const { headersText: _, ...shown } = params;
      for (const key of ["blockedCookies", "exemptedCookies"]) if (key in shown) shown[key] = shown[key].filter(mine);
      return { ...shown, headers: withSetCookies(params.headers, allows) };
    }
    case "Network.webSocketWillSendHandshakeRequest":
      return { ...params, request: { ...params.request, headers: withCookies(params.request.headers, "") } };
    case "Network.webSocketHandshakeResponseReceived": {
      const { headersText: _, requestHeadersText: __, ...response } = params.response;
      const requestHeaders = withCookies(response.requestHeaders, "");
      return { ...params, response: { ...response, requestHeaders, headers: withSetCookies(response.headers, allows) } };
    }
  }
  return params;
}

/** @param {Record<string, string> | undefined} headers @param {string} cookies */
function withCookies(headers, cookies) {
  return changed(headers, "cookie", () => cookies);
}

/** @param {Record<string, string> | undefined} headers @param {Allows} allows */
function withSetCookies(headers, allows) {
  return changed(headers, "set-cookie", (value) => value.split("\n").filter((line) => setCookieGranted(line, allows)).join("\n"));
}

/**
 * @param {Record<string, string> | undefined} headers
 * @param {string} header in lower case
 * @param {(value: string) => string} change
 */
function changed(headers, header, change) {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, name.toLowerCase() === header ? change(value) : value]));
}

/**
 * @param {string} line a `Set-Cookie` of a granted response
 * @param {Allows} allows
 */
function setCookieGranted(line, allows) {
  const pairs = line.split(";").slice(1).map((part) => part.split(/=(.*)/s));
  const domains = pairs.filter(([name]) => name.trim().toLowerCase() === "domain").map(([, value = ""]) => value.trim());
  return domains.every((domain) => domain === "" || domainGranted(domain, allows));
}
