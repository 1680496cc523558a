/**
 * Commands of the hub for one tab: CDP, single or as a program, and the few that CDP does not have. All of them pass
 * the tab's gate.
 */

import { Denied } from "../gate/access.js";
import { notAttached } from "./attachment.js";
import { BLANK, goToBlank } from "./blank_page.js";
import * as cdp from "../cdp.js";
import { Program } from "./program.js";
import { failure, success } from "../connection/wire.js";

/** @typedef {import("../connection/wire.js").Message} Message */
/** @typedef {import("./program.js").CdpCommand} CdpCommand */

/**
 * The tab as commands need it.
 * @typedef {object} Owner
 * @property {number} chromeTabId
 * @property {import("../gate/access.js").Access} access
 * @property {import("../gate/gate.js").Gate} gate
 * @property {import("./attachment.js").Attachment} attachment
 * @property {{choose: (methods: unknown) => void}} events
 * @property {import("./hand_over.js").HandOver} handOver
 * @property {import("./downloads.js").Downloads} downloads
 * @property {(command: string, params: any) => Promise<object>} browserCommand open, close or show tabs, set permissions
 * @property {(message: Message) => unknown} send to the hub
 */

/** How long the answers of a program are held back to be sent with later ones. */
const GATHER_MS = 50;

export class Commands {
  /** @param {Owner} tab */
  constructor(tab) {
    this.tab = tab;
    /** The CPU throttling rate that the hub has set. */
    this.cpuRate = 1;
    /** The running programs, by the id of their message. @type {Map<string, Program>} */
    this.programs = new Map();
  }

  /**
   * @param {Message} message a `command`
   * @returns {Promise<Message>} its `response`
   */
  async answer({ id, command, params, call }) {
    try {
      return success(id, await this.#run(id, command, params ?? {}, call));
    } catch (error) {
      return failure(id, wireError(error));
    }
  }

  /**
   * @param {string} id
   * @param {string} command
   * @param {any} params
   * @param {string | undefined} call
   * @returns {Promise<any>}
   */
  async #run(id, command, params, call) {
    if (command === "cdp") return this.#cdp(params, call);
    if (command === "cdp_all") return this.#cdpAll(id, params, call);
    const { tab } = this;
    if (command === "cdp_events") return tab.events.choose(params.methods ?? null);
    if (command === "cdp_rest") return tab.attachment.rest();
    if (command === "cdp_renew") return tab.attachment.renew();
    if (command === "hand_over") return tab.handOver.run(id, params);
    tab.access.checking(call, () => tab.gate.wireCommand(command, params));
    return command === "download" ? tab.downloads.run(id, params, call) : tab.browserCommand(command, params);
  }

  /**
   * @param {CdpCommand} command
   * @param {string | undefined} call
   */
  async #cdp({ method, params = {}, sessionId }, call) {
    const { tab } = this;
    const session = sessionId ?? undefined;
    if (typeof method !== "string") throw new Denied("A `cdp` command needs a method.", "");
    if (!tab.attachment.attached) throw notAttached();
    const sent = tab.access.checking(call, () => tab.gate.command(method, params, session));
    if (method === "Emulation.setCPUThrottlingRate") this.cpuRate = params.rate;
    if (method === "Page.navigateToHistoryEntry" && !tab.access.anySite) {
      const history = await cdp.send(tab.chromeTabId, "Page.getNavigationHistory", {}, session);
      tab.access.checking(call, () => tab.gate.historyMove(history.entries, params.entryId));
    }
    try {
      const frame = method === "Page.navigate" && !session ? this.#leavable(sent) : null;
      const result = await (frame ? goToBlank(tab.chromeTabId, frame) : cdp.send(tab.chromeTabId, method, sent, session));
      return tab.access.checking(call, () => tab.gate.result(method, result, session));
    } catch (error) {
      if (error instanceof cdp.AttachError) tab.attachment.shutOut(error);
      throw error;
    }
  }

  /**
   * The main frame, if its document can take itself to the blank page that is asked for: a page of a site, and granted.
   * @param {{url: string, frameId?: string}} params
   */
  #leavable({ url, frameId }) {
    const { access, gate } = this.tab;
    const { main, mainFrame } = gate.documents;
    if (url !== BLANK || (frameId ?? mainFrame) !== mainFrame) return null;
    return /^(https?|file):/.test(main) && access.allows(main) ? mainFrame : null;
  }

  /**
   * @param {string} id
   * @param {{commands?: import("./program.js").ProgramCommand[]}} params
   * @param {string | undefined} call
   */
  async #cdpAll(id, { commands = [] }, call) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let gathering;
    const sendSoon = () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        this.#sendAnswers(id, program);
      }, GATHER_MS);
    };
    const send = async (/** @type {CdpCommand} */ command) => {
      try {
        return { result: await this.#cdp(command, call) };
      } catch (error) {
        return { error: wireError(error) };
      } finally {
        sendSoon();
      }
    };
    const program = new Program(commands, send, wireError);
    this.programs.set(id, program);
    try {
      await program.run();
      return { answers: program.take() ?? commands.map(() => null) };
    } finally {
      clearTimeout(gathering);
      this.programs.delete(id);
    }
  }

  /** Called before an event is sent: earlier answers must arrive before it. */
  sendAnswersSoFar() {
    for (const [id, program] of this.programs) this.#sendAnswers(id, program);
  }

  /**
   * @param {string} id
   * @param {Program} program
   */
  #sendAnswers(id, program) {
    const answers = program.take();
    if (answers) this.tab.send({ type: "cdp_answers", id, answers });
  }

  /**
   * The hub has abandoned a command: a download is cancelled, a program starts no further step.
   * @param {string} id
   */
  cancel(id) {
    this.tab.downloads.cancel(id);
    this.programs.get(id)?.end();
  }
}

/**
 * An error as a wire object.
 * @param {any} error
 */
function wireError(error) {
  const { code = "EXECUTION_ERROR", message, hint, data } = error;
  return error instanceof cdp.AttachError ? { code: "DETACHED", message, hint: error.whilePaused, data } : { code, message, hint, data };
}
