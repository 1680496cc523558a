/**
 * Events of a tab's page for the hub: CDP events that pass the gate, and a limited number of console entries, WebSocket
 * messages and workers.
 */

import * as cdp from "../cdp.js";
import { ConsoleFlood, sizeOf } from "./console_flood.js";
import { Lateness } from "./lateness.js";
import { LIFECYCLE_EVENTS } from "../gate/rules.js";
import { SocketFlood } from "./socket_flood.js";
import { WorkerFlood } from "./worker_flood.js";
import { event } from "../connection/wire.js";

/**
 * What this needs of its tab.
 * @typedef {object} Owner
 * @property {number} chromeTabId
 * @property {{attached: boolean}} attachment
 * @property {{cpuRate: number, sendAnswersSoFar: () => void}} commands
 * @property {import("../gate/gate.js").Gate} gate
 * @property {import("./downloads.js").Downloads} downloads
 * @property {import("../connection/hub_connection.js").HubConnection} connection
 * @property {import("../panels/panels.js").Panels} panels
 * @property {(error: Error) => void} onError what no one waits for has failed
 */

/** The CPU throttling rate of a page that floods its console. */
const FLOODING_CPU_RATE = 50;
/** A tab's new title or address counts as so many events: it costs the browser itself, which all tabs share, more. */
const TITLE = 20;
/**
 * A WebSocket message that is dropped counts as so many further events: Chrome delivers it all the same, and a worker
 * that is late with thousands of them takes too few a second to tell a flood by their number. A page may go on with
 * 800 messages a second.
 */
const DROPPED_MESSAGE = 4;
/** So does a worker that is let go, for the commands that this takes, and for what its start costs the browser. */
const WORKER = 40;
/** So does the end of a WebSocket: a page that opens them without end, most of which fail at once, costs the browser more. */
const SOCKET = 20;
const SOCKET_CLOSED = "Network.webSocketClosed";
/** What is longer than an ordinary event, as a `data:` address may be, counts once more for every 1,000 characters. */
const ORDINARY_CHARS = 10_000;
/**
 * While the browser answers this late, an event counts as two, after twice the time as three, and so on, as ten at most:
 * fewer a second are a flood then.
 */
const LATE_MS = 100;
const MOST_FOR_LATENESS = 9;

export class PageEvents {
  /** @param {Owner} tab */
  constructor(tab) {
    this.tab = tab;
    this.lateness = new Lateness();
    /** @type {Set<string> | null} the events that the hub reads; null: all */
    this.chosen = null;
    this.console = new ConsoleFlood(
      ({ method, params, sessionId, dropped }) => this.pass(method, params, sessionId, dropped),
      (slow, sessionId) => void this.#slowDown(slow, sessionId).catch((error) => tab.onError(error)),
    );
    this.sockets = new SocketFlood(
      ({ method, params, sessionId }, dropped) => this.pass(method, params, sessionId, dropped),
      (sessionId) => this.#countDropped(sessionId, DROPPED_MESSAGE),
    );
    this.workers = new WorkerFlood(
      ({ method, params, sessionId }, letGo) => this.pass(method, params, sessionId, letGo),
      (worker, sessionId) => {
        this.#countDropped(sessionId, WORKER);
        this.#letGo(worker, sessionId);
      },
    );
  }

  /**
   * Send the hub only these events from now on.
   * @param {unknown} methods of the events that it reads; null: all
   */
  choose(methods) {
    if (methods !== null && !(Array.isArray(methods) && methods.every((method) => typeof method === "string"))) {
      throw Object.assign(new Error("`methods` must be a list of names of events, or null."), { code: "INVALID_PARAMS" });
    }
    this.chosen = methods && new Set(methods);
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @returns {boolean} whether it is an entry of the console, a WebSocket message or a worker, which is passed, or not,
   *   when its time comes
   */
  take(method, params, sessionId) {
    const late = Math.min(Math.floor(this.lateness.ms() / LATE_MS), MOST_FOR_LATENESS);
    if (late > 0) this.console.count(sessionId, late);
    if (this.console.take(method, params, sessionId)) return true;
    const beyond = Math.max(0, sizeOf(params) - ORDINARY_CHARS);
    this.console.count(sessionId, (method === SOCKET_CLOSED ? SOCKET : 1) + beyond / 1_000);
    return this.sockets.take(method, params, sessionId) || this.workers.take(method, params, sessionId);
  }

  /** The tab shows something else, as the tabs API says: a page may change its title without end. */
  countUpdate() {
    this.console.count(undefined, TITLE);
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   * @param {number} [dropped] how many of the console's entries, of the socket's messages or of workers were left out
   *   before this one
   */
  pass(method, params, sessionId, dropped = 0) {
    const { tab } = this;
    const { events, answer } = tab.gate.event(method, params ?? {}, sessionId);
    if (answer) {
      void cdp.send(tab.chromeTabId, answer.method, answer.params, sessionId).catch((error) => tab.onError(error));
    }
    for (const passed of events) {
      if (passed.method === "Page.downloadWillBegin") tab.downloads.onBegin(passed.params);
      tab.panels.onPassed(tab.chromeTabId, passed.method, passed.params);
      if (this.chosen && !this.chosen.has(passed.method)) continue;
      tab.commands.sendAnswersSoFar();
      const droppable = !LIFECYCLE_EVENTS.has(passed.method) && !passed.method.startsWith("Fetch.");
      const fields = { ...passed, ...(sessionId ? { sessionId } : {}), ...(dropped ? { dropped } : {}) };
      tab.connection.sendEvent(event("cdp", fields), droppable);
    }
  }

  /**
   * Count what only a page or frame can be slowed down for.
   * @param {string | undefined} sessionId
   * @param {number} weight
   */
  #countDropped(sessionId, weight) {
    if (!this.tab.gate.documents.isWorker(sessionId)) this.console.count(sessionId, weight);
  }

  /**
   * Let a worker run without a session.
   * @param {string} worker its session
   * @param {string | undefined} sessionId of the page, frame or worker that announced it
   */
  #letGo(worker, sessionId) {
    const { chromeTabId } = this.tab;
    for (const sent of [
      cdp.send(chromeTabId, "Runtime.runIfWaitingForDebugger", {}, worker),
      cdp.send(chromeTabId, "Target.detachFromTarget", { sessionId: worker }, sessionId),
    ]) {
      void sent.catch(() => {}); // it has ended by itself
    }
  }

  /**
   * Workers cannot be slowed down. One that floods reports nothing to its console until the flood is over.
   * @param {boolean} slow whether the console is flooded
   * @param {string | undefined} sessionId of the page, frame or worker that floods it
   */
  async #slowDown(slow, sessionId) {
    const { tab } = this;
    if (!tab.attachment.attached) return;
    if (tab.gate.documents.isWorker(sessionId)) {
      const action = slow ? "disable" : "enable";
      await Promise.all(["Runtime", "Log"].map((domain) => cdp.send(tab.chromeTabId, `${domain}.${action}`, {}, sessionId)));
    } else {
      const rate = slow ? FLOODING_CPU_RATE : tab.commands.cpuRate;
      await cdp.send(tab.chromeTabId, "Emulation.setCPUThrottlingRate", { rate }, sessionId);
    }
  }
}
