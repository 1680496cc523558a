/** Events of a tab's page for the hub: CDP events that pass the gate, as many as can be carried. */

import * as cdp from "../cdp.js";
import { EventLimit } from "./event_limit.js";
import { LIFECYCLE_EVENTS } from "../gate/rules.js";
import { event } from "../connection/wire.js";

/**
 * The tab as this needs it.
 * @typedef {object} Owner
 * @property {number} chromeTabId
 * @property {{attached: boolean}} attachment
 * @property {{cpuRate: number, sendAnswersSoFar: () => void}} commands
 * @property {import("../gate/gate.js").Gate} gate
 * @property {import("./downloads.js").Downloads} downloads
 * @property {import("./hand_over.js").HandOver} handOver
 * @property {import("../connection/hub_connection.js").HubConnection} connection
 * @property {import("../panels/panels.js").Panels} panels
 * @property {(error: Error) => void} onError what no one waits for has failed
 */

/** The CPU throttling rate of a page that is slowed down. */
const SLOW_CPU_RATE = 50;

export class PageEvents {
  /** @param {Owner} tab */
  constructor(tab) {
    this.tab = tab;
    /** @type {Set<string> | null} the events that the hub reads; null: all */
    this.chosen = null;
    this.limit = new EventLimit({
      pass: ({ method, params, sessionId }) => this.pass(method, params, sessionId),
      slowDown: (slow, sessionId) => void this.#slowDown(slow, sessionId).catch((error) => tab.onError(error)),
      letGo: (worker, sessionId) => this.#letGo(worker, sessionId),
    });
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
   * @returns {boolean} whether it is passed, or not, when its time comes
   */
  take(method, params, sessionId) {
    return this.limit.take(method, params, sessionId);
  }

  /** The tab shows something else, as the tabs API says: a page may change its title without end. */
  countUpdate() {
    this.limit.count(undefined);
  }

  /**
   * @param {string} method
   * @param {any} params
   * @param {string | undefined} sessionId
   */
  pass(method, params, sessionId) {
    const { tab } = this;
    if (tab.handOver.hides(method, params)) return;
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
      const dropped = this.limit.takeDropped();
      const fields = { ...passed, ...(sessionId ? { sessionId } : {}), ...(dropped ? { dropped } : {}) };
      tab.connection.sendEvent(event("cdp", fields), droppable);
    }
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
   * Slow down a page or frame. A worker, which cannot be, reports nothing to its console until the flood is over.
   * @param {boolean} slow
   * @param {string | undefined} sessionId
   */
  async #slowDown(slow, sessionId) {
    const { tab } = this;
    if (!tab.attachment.attached) return;
    if (tab.gate.documents.isWorker(sessionId)) {
      const action = slow ? "disable" : "enable";
      await Promise.all(["Runtime", "Log"].map((domain) => cdp.send(tab.chromeTabId, `${domain}.${action}`, {}, sessionId)));
    } else {
      const rate = slow ? SLOW_CPU_RATE : tab.commands.cpuRate;
      await cdp.send(tab.chromeTabId, "Emulation.setCPUThrottlingRate", { rate }, sessionId);
    }
  }
}
