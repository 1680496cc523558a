/**
 * The requests of the inspected page, from DevTools itself: entries of a HAR.
 */

import { bytes } from "../components/size_text.js";

/** @typedef {import("../components/logs/network.js").Request} Request */

const KEPT = 2_000;

export class PageRequests {
  /** @param {(requests: Request[]) => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {Request[]} oldest first */
    this.requests = [];
    /** @type {Map<string, any>} what DevTools knows of a request, for its body */
    this.known = new Map();
    this.count = 0;
    this.waits = false;
    chrome.devtools.network.onRequestFinished.addListener((entry) => this.#add(entry));
  }

  clear() {
    this.requests = [];
    this.known.clear();
    this.onChange(this.requests);
  }

  /**
   * @param {Request} request
   * @returns {Promise<string>} the body of its response as text
   */
  body({ id }) {
    const known = this.known.get(id);
    if (!known) return Promise.resolve("");
    return new Promise((resolve) => {
      known.getContent((/** @type {string | null} */ text, /** @type {string} */ encoding) => {
        resolve(encoding === "base64" ? `(${bytes(atob(text ?? "").length)}, not text)` : (text ?? ""));
      });
    });
  }

  /** @param {any} entry */
  #add(entry) {
    const id = String((this.count += 1));
    this.known.set(id, entry);
    this.requests = [...this.requests.slice(1 - KEPT), requestOfEntry(id, entry)];
    for (const old of this.known.keys()) {
      if (this.known.size <= KEPT) break;
      this.known.delete(old);
    }
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      this.onChange(this.requests);
    });
  }
}

/**
 * A request as the panel lists it.
 * @param {string} id
 * @param {any} entry of a HAR
 * @returns {Request}
 */
export function requestOfEntry(id, { request, response, startedDateTime, time, _resourceType: type, _error: error }) {
  const size = response._transferSize ?? response.content?.size ?? -1;
  return {
    id,
    method: request.method,
    url: request.url,
    status: response.status,
    statusText: response.statusText || response._error || error || "",
    type: type ?? "",
    size: typeof size === "number" ? size : -1,
    startedAt: Date.parse(startedDateTime),
    durationMs: Math.max(0, time ?? 0),
    requestHeaders: request.headers.map(pair),
    responseHeaders: response.headers.map(pair),
    ...(request.postData?.text ? { postData: request.postData.text } : {}),
  };
}

/** @param {{name: string, value: string}} header */
function pair({ name, value }) {
  return { name, value };
}
