/**
 * The panel's port to the worker: requests and their answers, the console as it goes. It closes when the worker is stopped;
 * opening another starts the worker.
 */

/** @typedef {(progress: {done: number, total?: number, message?: string}) => void} OnProgress */

/** A request that failed: `code`, `hint` and `data` as the hub gave them. */
export class RequestError extends Error {
  /** @param {{code?: string, message?: string, hint?: string, data?: unknown}} error */
  constructor({ code = "EXECUTION_ERROR", message = "The request failed.", hint = "", data } = {}) {
    super(message);
    this.name = "RequestError";
    this.code = code;
    this.hint = hint;
    this.data = data;
  }
}

const WORKER_ENDED = {
  code: "TAB_DISCONNECTED",
  message: "Kapture's worker was restarted while this ran; it may have taken effect.",
  hint: "Look at the page before you run it again.",
};

export class PanelPort {
  /**
   * @param {number} chromeTabId
   * @param {(entries: any[], whole: boolean) => void} onLog entries of the console; `whole`: all that there are
   * @param {() => void} onPicking the next click in the page picks an element
   * @param {(state: any) => void} onRecording what has been recorded on the tab and not saved, or null
   */
  constructor(chromeTabId, onLog, onPicking, onRecording) {
    this.chromeTabId = chromeTabId;
    this.onLog = onLog;
    this.onPicking = onPicking;
    this.onRecording = onRecording;
    /** @type {Map<string, {resolve: (result: any) => void, reject: (error: Error) => void, onProgress?: OnProgress}>} */
    this.waiting = new Map();
    this.count = 0;
    /** @type {chrome.runtime.Port | null} */
    this.port = null;
    this.#connect();
  }

  #connect() {
    const opened = chrome.runtime.connect({ name: `panel:${this.chromeTabId}` });
    opened.onMessage.addListener((message) => this.#take(message));
    opened.onDisconnect.addListener(() => {
      this.port = null;
      for (const { reject } of this.waiting.values()) reject(new RequestError(WORKER_ENDED));
      this.waiting.clear();
      setTimeout(() => this.port ?? this.#connect(), 250);
    });
    this.port = opened;
    return opened;
  }

  /** @param {object} message */
  send(message) {
    (this.port ?? this.#connect()).postMessage(message);
  }

  /**
   * Ask the hub, or the worker. Aborting takes the request back; its answer then says that it was cancelled.
   * @param {object} message
   * @param {AbortSignal} [signal]
   * @param {OnProgress} [onProgress]
   * @returns {Promise<any>} rejects with `RequestError`
   */
  ask(message, signal, onProgress) {
    const id = String((this.count += 1));
    signal?.addEventListener("abort", () => this.send({ do: "cancel", id }));
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onProgress });
      this.send({ ...message, id });
    });
  }

  /** @param {any} message */
  #take(message) {
    if (message.type === "log") return this.onLog(message.entries, message.whole === true);
    if (message.type === "picking") return this.onPicking();
    if (message.type === "recording") return this.onRecording(message.state);
    const waiting = this.waiting.get(message.id);
    if (message.type === "progress") return waiting?.onProgress?.(message);
    if (message.type !== "result") return;
    this.waiting.delete(message.id);
    if (message.success) waiting?.resolve(message.result ?? {});
    else waiting?.reject(new RequestError(message.error));
  }
}
