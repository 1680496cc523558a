/**
 * Whose a document is. It belongs to its security origin if that is a web origin, otherwise to its URL; `about:blank`,
 * `srcdoc` and `data:` documents belong to their creator: the origin of their execution context or, if that is opaque,
 * the frame's previous document, or else the parent frame. Chromium makes `securityOrigin` of CDP's `Page.Frame` from
 * the URL: it does not name the site that took a window to `about:blank` and wrote there.
 */

import { isDerived } from "./sites.js";

/**
 * `owner` null: as its parent's; `url`: the document's, "" if that has not navigated yet; `opaque`: nothing says who made
 * it; `loader`: of its document, by CDP; `parentLoader`: of the document that it is in; `shown`: the owners of the
 * documents that it has shown before
 * @typedef {{owner: string | null, parent: string | null, session: string, url: string, opaque: boolean, loader: string,
 *   parentLoader: string, shown: string[]}} Frame
 */
/** @typedef {{frames: Map<string, Frame>, mainFrame: string | null, main: string}} Known */

/** The owner of a document that is not known: no grant of named sites covers it. */
export const UNKNOWN = "unknown:";

/**
 * @param {string | undefined} origin
 * @returns {boolean}
 */
function isWebOrigin(origin) {
  return origin !== undefined && /^(https?|file):\/\//.test(origin);
}

/**
 * The URL that decides about a document.
 * @param {string} url
 * @param {string | undefined} origin
 * @param {string | null} before whose document the frame showed before
 * @returns {string | null} null: nothing says so
 */
export function ownerOf(url, origin, before) {
  if (isWebOrigin(origin)) return origin === "file://" ? "file:///" : /** @type {string} */ (origin);
  if (url.startsWith("about:srcdoc")) return null; // its text is an attribute in the parent's document
  return isDerived(url) ? before : url;
}

/**
 * Whose document a frame in a process of its own shows, until that process has reported it.
 * @param {string} url of the target; empty while the frame still has its initial empty document
 * @param {string | null} before as for `ownerOf`
 * @returns {string | null}
 */
export function announcedOwner(url, before) {
  const owner = ownerOf(url, undefined, before);
  return owner === null && url !== "" && !url.startsWith("about:srcdoc") ? UNKNOWN : owner;
}

/** Whether it says nothing: Chromium writes an opaque origin as `://`. @param {string} origin */
export function isOpaque(origin) {
  return !/^[a-z][a-z0-9+.-]*:\/\/./.test(origin) && origin !== "file://";
}

/**
 * Whether a document may have been made by any other that may navigate its frame: its URL names no site, nor its parent.
 * An origin that is not opaque says who made it; this is so until that is known.
 * @param {string} url "" for an empty document that has not navigated yet
 */
export function namesNoMaker(url) {
  return url !== "" && isDerived(url) && !url.startsWith("about:srcdoc");
}

/**
 * Whether the document of a tab that has shown another before, or that a page opened, may be of any other: a sandboxed document gives its opaque
 * origin to the blank page that it takes a tab to, and its windows may write there. Only the browser takes a tab to a
 * `data:` URL, and to a blank page of an origin of its own.
 * @param {Frame} page
 * @param {string[]} opened loads that clients began
 */
export function isUnclaimed({ opaque, url, loader }, opened) {
  return opaque && !url.startsWith("data:") && !(loader && opened.includes(loader));
}

/**
 * The owner of a frame's document as far as it is known: of one that says nothing, the parent's.
 * @param {string} id the frame's
 * @param {Known} documents
 * @returns {string}
 */
export function creatorOf(id, { frames, mainFrame, main }) {
  const passed = new Set();
  for (let at = id; !passed.has(at); ) {
    if (at === mainFrame) return main;
    passed.add(at);
    const frame = frames.get(at);
    if (!frame) break;
    if (frame.owner !== null) return frame.owner;
    at = frame.parent ?? "";
  }
  return UNKNOWN;
}

/** The CDP id of the load of a frame's document. @param {string | null} id @param {Pick<Known, "frames">} documents */
export function loaderOf(id, { frames }) {
  return frames.get(id ?? "")?.loader ?? "";
}

/** How many documents of a frame are remembered one by one. */
const MOST_SHOWN = 50;

/**
 * The owners of the documents that a frame has shown, with the one that it shows now; nobody known for too many.
 * @param {Frame | undefined} frame
 * @returns {string[]}
 */
export function shownSoFar(frame) {
  if (!frame) return [];
  const { owner, shown } = frame;
  if (owner === null || shown.includes(owner) || shown.includes(UNKNOWN)) return shown;
  return [...shown, shown.length < MOST_SHOWN ? owner : UNKNOWN];
}

/**
 * The owners of all documents that may have made a frame's document: all of them must be granted. Of one that names no
 * maker, those are all that could navigate the frame: those that it has shown, for one that has been replaced may have
 * begun before, and those around it (HTML, "allowed by sandboxing to navigate"), or nobody known where one of these has
 * gone. A tab is taken to such documents by its person or a client alone.
 * @param {string} id the frame's
 * @param {Known} documents
 */
export function makersOf(id, documents) {
  const { frames, mainFrame } = documents;
  const [owners, passed] = [[creatorOf(id, documents)], new Set()];
  let opaque = false;
  for (let at = id; at !== mainFrame && !passed.has(at); ) {
    passed.add(at);
    const frame = frames.get(at);
    opaque ||= frame?.opaque ?? false;
    if (!frame || (!opaque && frame.owner !== null)) break;
    if (frame.opaque) owners.push(...frame.shown);
    at = frame.parent ?? "";
    if (opaque) owners.push(frame.parentLoader === loaderOf(at, documents) ? creatorOf(at, documents) : UNKNOWN);
  }
  return owners;
}

/**
 * Whose document it is whose URL does not say so, by the origin of its execution context.
 * @param {string} origin
 * @param {string | null} owner until now
 * @param {string} decides the URL that decides until now: `owner`, or the parent's
 * @returns {string | null}
 */
export function createdBy(origin, owner, decides) {
  if (isOpaque(origin)) return owner === UNKNOWN ? null : owner;
  if (!URL.canParse(decides)) return origin;
  const { protocol, host } = new URL(decides);
  return `${protocol}//${host}` === origin ? owner : origin;
}
