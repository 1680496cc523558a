/**
 * Messages of the hub over `/console/live` (docs/CONSOLE.md): tabs, calls, clients, pictures of the tabs in view.
 */

import { CallBook } from "./calls.js";
import { placesOf } from "./names.js";
import { Pictures } from "./pictures.js";
import { Store } from "./store.js";

/**
 * @typedef {object} Tab a row of `status`
 * @property {string} tabId
 * @property {string} state
 * @property {string} url
 * @property {string} title
 * @property {"none" | "read" | "interact" | "full"} level
 * @property {string[]} [pausedClients] whom the person has stopped there
 * @property {boolean} [controlled] whether it can be disconnected from here
 * @property {boolean} [readable] whether its page may be read now
 * @property {{sites: string[], level: string} | null} grant
 * @property {string} browser
 * @property {string} backend
 * @property {string} connectedAt
 * @property {string | null} dialog
 * @property {{client: string, since: string} | null} heldBy the script that has it
 * @property {{name: string, colour: string} | null} [owner] the client that opened it and has it
 * @property {string | null} detached
 * @property {boolean} [forGroup] whether it is also for the agents of the hub's group
 */
/** @typedef {{version: string, startedAt: string, clients: {id: string, name: string, kind: string, version: string}[], questions: string[], shares?: import("../ui/components/share_list.js").Share[], handedOver?: HandedOver[], paused?: boolean}} HubState */
/** @typedef {{tabId: string, client: string, what: string, since: number, expiresAt: number}} HandedOver times in Unix ms */

/** Before a lost socket is opened again. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 5_000];
/** Of pictures, in image pixels. */
const WIDEST = 480;
const WIDTH_STEP = 80;

export class Live extends Store {
  calls = new CallBook();
  /** @type {Map<string, Tab>} */
  tabs = new Map();
  /** @type {HubState | null} */
  hub = null;
  /** @type {Record<string, number>} when each tab was last heard, in Unix milliseconds */
  heardAt = {};
  /** Changes each second, with `heardAt`: only views that show it follow it. */
  heard = new Store();
  /** Called with the ids of tabs that have new lines on their console. @type {(tabs: string[]) => void} */
  onConsole = () => undefined;
  /** Pictures by tab; a view follows them by itself, since they come often. */
  pictures = new Pictures((number, tabId) => this.#send({ type: "drawn", tabId, number }));
  /** Unsaved recordings of tabs. @type {Map<string, import("../ui/scenarios/model/recording.js").RecordingState>} */
  recordings = new Map();
  connected = false;
  /** Whether a lost socket is opened again; where not, `open` is called as soon as it can be. @type {() => boolean} */
  mayReopen = () => true;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #reopening = undefined;
  #next = 1;
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  #asked = new Map();
  #watched = "";
  /** @type {Map<string, string> | null} */
  #places = null;

  /**
   * Open the socket; the hub begins with all that there is.
   * @param {string} token the session's
   */
  open(token) {
    this.close();
    this.#connect(token, 0);
  }

  /**
   * @param {string} token
   * @param {number} tried how often in vain before
   */
  #connect(token, tried) {
    const socket = new WebSocket(`ws://${location.host}/console/live`);
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => socket.send(JSON.stringify({ type: "authenticate", token }));
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#take(data);
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      const failed = this.hub ? 0 : tried;
      this.close();
      const reopen = () => this.mayReopen() && this.#connect(token, failed + 1);
      this.#reopening = setTimeout(reopen, PAUSES_MS[Math.min(failed, PAUSES_MS.length - 1)]);
    };
  }

  close() {
    clearTimeout(this.#reopening);
    this.#socket?.close();
    this.#socket = null;
    this.connected = false;
    this.#watched = "";
    this.tabs.clear();
    this.pictures.clear();
    this.recordings.clear();
    this.calls.clear();
    this.hub = null;
    for (const { reject } of this.#asked.values()) reject(new Error("The connection to the hub was lost."));
    this.#asked.clear();
    this.changed();
  }

  /** Where each tab is, by id. */
  get places() {
    return (this.#places ??= placesOf(this.tabs.values()));
  }

  changed() {
    this.#places = null;
    super.changed();
  }

  /**
   * The tabs whose pictures are in view.
   * @param {string[]} tabs
   * @param {{enlarged?: string, width?: number}} [how] `width`: how wide they are drawn, in device pixels
   */
  watch(tabs, { enlarged, width = WIDEST } = {}) {
    // In steps: each change of the width starts the screencasts anew.
    const wide = Math.min(WIDEST, Math.max(1, Math.ceil(width / WIDTH_STEP)) * WIDTH_STEP);
    const message = { type: "watch", tabs: tabs.slice(0, 64), ...(enlarged ? { enlarged } : {}), ...(wide < WIDEST ? { width: wide } : {}) };
    if (!this.connected || JSON.stringify(message) === this.#watched) return;
    this.#watched = JSON.stringify(message);
    this.#send(message);
  }

  /**
   * @param {"commands" | "status" | "audit" | "checks" | "standing" | "group"} about
   * @returns {Promise<any>}
   */
  ask(about) {
    return this.#request({ type: "ask", about });
  }

  /**
   * Have something done about a connected tab.
   * @param {"disconnect" | "change_grant" | "narrow_grant" | "release" | "revoke" | "end_share" | "hand_back" | "pause" | "stop" | "resume"} action
   * @param {string} tabId "" of what concerns every tab, and of `revoke` and `end_share`
   * @param {object} [more] of `narrow_grant`: the sites and the level that are left; of `revoke`: the `grant`; of `end_share`: the `share`; of `hand_back`: `done` and `note`
   * @returns {Promise<any>} of `change_grant`: what the person did
   */
  act(action, tabId, more = {}) {
    return this.#request({ type: "act", action, tabId, ...more });
  }

  /**
   * Mark an element in its page, instead of the one before.
   * @param {string} tabId
   * @param {string | null} ref null: none
   */
  highlight(tabId, ref) {
    this.#send({ type: "highlight", tabId, ...(ref ? { ref } : {}) });
  }

  /** @param {object} message without its id @returns {Promise<any>} */
  #request(message) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (!this.connected) return reject(new Error("There is no connection to the hub."));
      this.#asked.set(id, { resolve, reject });
      this.#send({ ...message, id });
    });
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** @param {string | ArrayBuffer} data */
  #take(data) {
    if (typeof data !== "string") return void this.pictures.take(new Uint8Array(data));
    const message = JSON.parse(data);
    switch (message.type) {
      case "authenticated":
        this.connected = true;
        break;
      case "hub":
        this.hub = message;
        break;
      case "tabs":
        for (const tab of message.changed) this.tabs.set(tab.tabId, tab);
        for (const tabId of message.gone ?? []) {
          this.tabs.delete(tabId);
          this.pictures.forget(tabId);
        }
        break;
      case "recordings":
        for (const [tabId, state] of Object.entries(message.tabs)) {
          if (state) this.recordings.set(tabId, state);
          else this.recordings.delete(tabId);
        }
        break;
      case "calls":
        this.calls.put(message.calls);
        break;
      case "unreadable":
        this.calls.forgetMessages(message.tabs);
        break;
      case "heard":
        this.heardAt = Object.fromEntries(Object.entries(message.silentMs).map(([tabId, ms]) => [tabId, Date.now() - Number(ms)]));
        this.heard.changed();
        return;
      case "withheld":
        this.pictures.withhold(message.tabId, message.reason);
        return;
      case "console":
        this.onConsole(message.tabs);
        return;
      case "answer": {
        const asked = this.#asked.get(message.id);
        this.#asked.delete(message.id);
        if (message.error) asked?.reject(new Error(message.error));
        else asked?.resolve(message.value ?? null);
        return;
      }
    }
    this.changed();
  }
}
