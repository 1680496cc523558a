/**
 * The documents of a tab and the URLs that decide about them: built from the CDP events, in order, so that the gate
 * knows which document every command and event concerns. Whose a document is: document_owner.js.
 *
 * tests/policy/documents.json holds examples that also test the hub's side.
 */

import { UNKNOWN, announcedOwner, createdBy, creatorOf, isOpaque, loaderOf, makersOf, namesNoMaker, ownerOf, shownSoFar } from "./document_owner.js";
import { isDerived } from "./sites.js";
import { TabDocument } from "./tab_document.js";

/** @typedef {import("./document_owner.js").Frame} Frame */
/** @typedef {{name: string, frame: string | null, isDefault: boolean, origin: string, unique: string}} Context */

const ROOT = "";

export class Documents {
  /** @param {(owner: string) => boolean} [allows] whether an owner's documents are granted */
  constructor(allows = () => true) {
    this.allows = allows;
    /** @type {Map<string, Frame>} */
    this.frames = new Map();
    /** @type {Map<string, Map<number, Context>>} contexts by id, per session */
    this.contexts = new Map();
    /** @type {Map<string, {url: string, frame: string | null, parent: string}>} child sessions */
    this.sessions = new Map();
    this.page = new TabDocument();
    /** Whether the tab's next document has not been reported yet: its context tells whether it was prerendered. */
    this.cleared = false;
  }

  /** The tab's main frame. */
  get mainFrame() {
    return this.page.frame;
  }

  /** The URL that decides about the tab's page; "" for an empty new tab. */
  get main() {
    return this.page.owner(this.frames, this.allows);
  }

  /**
   * The URL that decides about a session's own frame or worker.
   * @param {string | undefined} sessionId
   * @returns {string}
   */
  ofSession(sessionId) {
    if (!sessionId) return this.main;
    const session = this.sessions.get(sessionId);
    if (!session) return UNKNOWN;
    if (session.frame) return this.ofFrame(session.frame);
    return isDerived(session.url) ? UNKNOWN : session.url;
  }

  /**
   * The URL that decides about a worker; `UNKNOWN` for a session that is not a worker's.
   * @param {string | undefined} sessionId
   * @returns {string}
   */
  ofWorker(sessionId) {
    return this.isWorker(sessionId) ? this.ofSession(sessionId) : UNKNOWN;
  }

  /** @param {string | undefined} sessionId */
  isWorker(sessionId) {
    const session = this.sessions.get(sessionId ?? ROOT);
    return session !== undefined && !session.frame;
  }

  /**
   * The URLs that decide about a session's documents: every frame of its process, of any site.
   * @param {string | undefined} sessionId
   * @returns {string[]}
   */
  inSession(sessionId) {
    const session = sessionId ?? ROOT;
    const child = this.sessions.get(session);
    if (child && !child.frame) return isDerived(child.url) ? this.inSession(child.parent) : [child.url];
    const owners = [...this.frames].filter(([, frame]) => frame.session === session).map(([id]) => this.ofFrame(id));
    return owners.length > 0 ? owners : [UNKNOWN];
  }

  /**
   * The URL that decides about a frame's document: of all that may have made it, one that is not granted, if there is one.
   * @param {string | null | undefined} frameId
   * @returns {string}
   */
  ofFrame(frameId) {
    const makers = makersOf(frameId ?? "", this);
    return makers.find((owner) => !this.allows(owner)) ?? makers[0];
  }

  /**
   * @param {string | undefined} sessionId
   * @param {number | string | undefined} id numeric context id or unique id
   * @returns {Context | undefined}
   */
  context(sessionId, id) {
    const known = this.contexts.get(sessionId ?? ROOT);
    if (!known) return undefined;
    if (typeof id === "number") return known.get(id);
    for (const context of known.values()) if (context.unique === id) return context;
    return undefined;
  }

  /**
   * The unique id of a context.
   * @param {string | undefined} sessionId
   * @param {number | string | undefined} id as for `context`; undefined: the page's own world of the session's frame
   * @returns {string | undefined}
   */
  uniqueContext(sessionId, id) {
    if (id !== undefined) return this.context(sessionId, id)?.unique;
    const own = sessionId ? this.sessions.get(sessionId)?.frame : this.mainFrame;
    const contexts = [...(this.contexts.get(sessionId ?? ROOT)?.values() ?? [])];
    return own ? contexts.findLast(({ frame, isDefault }) => isDefault && frame === own)?.unique : undefined;
  }

  /**
   * Process one CDP event.
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  observe(method, params, sessionId) {
    const session = sessionId ?? ROOT;
    switch (method) {
      case "Page.frameAttached":
        this.#frame(params.frameId, params.parentFrameId ?? null, session, null);
        break;
      case "Page.frameNavigated":
        // Frames in other processes are removed with their sessions.
        for (const [id, child] of [...this.frames]) {
          if (child.parent === params.frame.id && child.session === session) this.#remove(id);
        }
        this.#navigated(params.frame, session);
        break;
      case "Page.documentOpened":
        this.#navigated(params.frame, session);
        break;
      case "Page.navigatedWithinDocument":
        if (params.frameId === this.mainFrame && !isDerived(params.url)) this.page.reported = params.url;
        break;
      case "Page.frameDetached":
        // A swap moves the frame to another process; its next document is reported there.
        if (params.reason !== "swap") this.#remove(params.frameId);
        break;
      case "Runtime.executionContextCreated":
        this.#contextCreated(params.context, session);
        break;
      case "Runtime.executionContextDestroyed":
        this.contexts.get(session)?.delete(params.executionContextId);
        break;
      case "Runtime.executionContextsCleared":
        this.contexts.delete(session);
        if (session === ROOT) this.cleared = true;
        break;
      case "Target.attachedToTarget":
        this.#attached(params.sessionId, params.targetInfo, session);
        break;
      case "Target.detachedFromTarget":
        this.#ended(params.sessionId);
        break;
    }
  }

  /** Forget a session, and those announced on it: the browser may say nothing of their end. @param {string} sessionId */
  #ended(sessionId) {
    this.sessions.delete(sessionId);
    this.contexts.delete(sessionId);
    for (const [id, session] of [...this.sessions]) if (session.parent === sessionId) this.#ended(id);
  }

  /**
   * Process the result of a command.
   * @param {string} method
   * @param {any} result
   * @param {string | undefined} sessionId
   */
  answered(method, result, sessionId) {
    if (method === "Page.getFrameTree" && result?.frameTree) this.learn(result.frameTree, sessionId);
    if (method === "Page.navigate" && result) this.page.noteOpened(result);
    if (method === "Target.getTargetInfo") this.page.hasOpener ||= Boolean(result?.targetInfo?.openerId);
  }

  /**
   * Add the frames of a `Page.getFrameTree` result.
   * @param {any} tree
   * @param {string | undefined} sessionId
   */
  learn(tree, sessionId) {
    this.#navigated(tree.frame, sessionId ?? ROOT);
    const { id, parentId } = tree.frame;
    if (parentId) Object.assign(this.frames.get(id) ?? {}, { parentLoader: loaderOf(parentId, this) });
    for (const child of tree.childFrames ?? []) this.learn(child, sessionId);
  }

  /**
   * A frame that may be known already.
   * @param {string} id
   * @param {string | null} parent
   * @param {string} session
   * @param {string | null} owner
   */
  #frame(id, parent, session, owner) {
    const known = this.frames.get(id);
    const parentLoader = loaderOf(parent, this);
    if (!known) this.frames.set(id, { owner, parent, session, url: "", opaque: false, loader: "", parentLoader, shown: [] });
    else if (known.parent === null) Object.assign(known, { parent, parentLoader });
  }

  /**
   * @param {any} frame CDP Page.Frame
   * @param {string} session
   */
  #navigated(frame, session) {
    const url = frame.unreachableUrl || (frame.url === ":" ? "" : frame.url); // ":": before its first navigation
    if (session === ROOT && !frame.parentId) {
      if (this.mainFrame && this.mainFrame !== frame.id) this.#remove(this.mainFrame); // a prerendered page took over
      this.page.show(frame, url, this.main);
    }
    const known = this.frames.get(frame.id);
    const parent = frame.parentId ?? known?.parent ?? null;
    const owner = ownerOf(url, frame.securityOrigin, known?.owner ?? null);
    const parentLoader = known?.parentLoader ?? loaderOf(parent, this);
    const [loader, shown] = [frame.loaderId ?? "", shownSoFar(known)];
    this.frames.set(frame.id, { owner, parent, session, url, opaque: namesNoMaker(url), loader, parentLoader, shown });
    this.#createdBy(frame.id, session); // of a restored document the context is reported first
  }

  /**
   * Remove a frame and its descendants.
   * @param {string} id
   */
  #remove(id) {
    this.frames.delete(id);
    for (const [inner, frame] of [...this.frames]) if (frame.parent === id) this.#remove(inner);
  }

  /**
   * @param {any} context CDP Runtime.ExecutionContextDescription
   * @param {string} session
   */
  #contextCreated(context, session) {
    const frame = context.auxData?.frameId ?? null;
    const isDefault = context.auxData?.isDefault ?? true;
    let known = this.contexts.get(session);
    if (!known) this.contexts.set(session, (known = new Map()));
    known.set(context.id, { name: context.name ?? "", frame, isDefault, origin: context.origin ?? "", unique: context.uniqueId ?? "" });
    if (session === ROOT && isDefault && this.cleared) {
      this.cleared = false;
      // A prerendered page replaces the tab's page without an event. The frame tree, which the hub requests, has its
      // owner.
      if (frame && this.mainFrame && !this.frames.has(frame)) {
        this.#remove(this.mainFrame);
        this.page.replace(frame);
      }
    }
    if (frame && !this.frames.has(frame)) {
      const owner = ownerOf("", isDefault ? context.origin : "", null);
      this.#frame(frame, null, session, owner);
    } else if (frame && isDefault) this.#createdBy(frame, session);
  }

  /**
   * Give a document whose URL does not say whose it is to the origin of its execution context.
   * @param {string} id the frame's
   * @param {string} session
   */
  #createdBy(id, session) {
    const frame = this.frames.get(id);
    const contexts = [...(this.contexts.get(session)?.values() ?? [])];
    const context = contexts.findLast((one) => one.isDefault && one.frame === id);
    if (!context || !frame || !isDerived(frame.url) || frame.session !== session) return;
    frame.opaque = isOpaque(context.origin) && namesNoMaker(frame.url);
    const [owner, decides] = [frame.owner, creatorOf(id, this)];
    frame.owner = createdBy(context.origin, owner, decides);
    if (id === this.mainFrame && frame.owner !== owner) this.page.reported = frame.owner ?? UNKNOWN;
  }

  /**
   * @param {string} sessionId
   * @param {any} target CDP Target.TargetInfo
   * @param {string} parentSession
   */
  #attached(sessionId, target, parentSession) {
    const isFrame = target.type === "iframe" || target.type === "page";
    this.sessions.set(sessionId, { url: target.url, frame: isFrame ? target.targetId : null, parent: parentSession });
    if (!isFrame) return;
    const known = this.frames.get(target.targetId);
    const parent = known?.parent ?? target.parentFrameId ?? null;
    const owner = announcedOwner(target.url, known?.owner ?? null);
    const { url } = target;
    const opaque = url === "" ? (known?.opaque ?? false) : namesNoMaker(url);
    const parentLoader = known?.parentLoader ?? loaderOf(parent, this);
    const shown = shownSoFar(known);
    this.frames.set(target.targetId, { owner, parent, session: sessionId, url, opaque, loader: "", parentLoader, shown });
  }
}
