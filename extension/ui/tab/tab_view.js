/**
 * One tab as popup, panel and question window show it: the worker's state in, what the person presses out.
 */

import "../pins/pins.js";
import "../components/hand_over.js";
import "../questions/questions.js";
import "./tab_details.js";
import "./tab_header.js";
import { openPort } from "../worker_port.js";

export class TabView {
  /**
   * @param {number} chromeTabId
   * @param {(view: any) => void} [onView] called after each change
   */
  constructor(chromeTabId, onView) {
    this.onView = onView;
    /** @type {any} */
    this.view = null;
    this.header = /** @type {import("./tab_header.js").TabHeader} */ (document.createElement("k-tab-header"));
    this.questions = /** @type {import("../questions/questions.js").Questions} */ (document.createElement("k-questions"));
    this.handOver = /** @type {import("../components/hand_over.js").HandOverView} */ (document.createElement("k-hand-over"));
    this.details = /** @type {import("./tab_details.js").TabDetails} */ (document.createElement("k-tab-details"));
    this.header.onToggle = () => this.#toggle();
    this.questions.hidden = this.handOver.hidden = true;
    this.handOver.onAnswer = (decision, note) => this.send({ do: "hand_back", decision, note });
    this.pins = /** @type {import("../pins/pins.js").Pins} */ (document.createElement("k-pins"));
    this.pins.onPoint = (what) => this.send({ do: "point", what });
    this.pins.onDismiss = (pin) => this.send({ do: "unpin", pin });
    this.handOver.onGo = () => this.send({ do: "jump", chromeTabId });
    this.questions.onDecide = (id, decision) => this.send({ do: "decide", id, decision });
    this.details.onGrant = (what, chosen) => this.send({ do: what, site: this.view.site, ...chosen });
    this.details.onGroup = (group) => this.send({ do: "group", group });
    this.details.onAction = (action) => this.#act(action);
    const post = openPort(`tab:${chromeTabId}`, (message) => this.#take(message));
    /** @param {object} message what the person does; it answers what was wrong before */
    this.send = (message) => {
      this.details.problem = "";
      post(message);
    };
  }

  /** @param {any} message */
  #take(message) {
    if (message.type === "raised") {
      this.questions.appeared();
      this.handOver.appeared();
      return;
    }
    if (message.type === "problem") {
      this.details.problem = message.message;
      return;
    }
    this.view = message.view;
    const questions = this.view.tab?.questions ?? [];
    this.header.view = this.view;
    this.details.view = this.view;
    this.questions.hidden = questions.length === 0;
    this.questions.grant = this.view.tab?.grant ?? { sites: [], level: "read" };
    this.questions.questions = questions;
    this.pins.pins = this.view.tab?.pins ?? [];
    this.pins.hidden = !this.view.connected;
    this.pins.off = this.view.tab?.state !== "ready";
    this.handOver.asked = this.view.tab?.handOver ?? null;
    this.handOver.hidden = !this.handOver.asked;
    this.onView?.(this.view);
  }

  #toggle() {
    if (this.view.connected) {
      this.send({ do: "disconnect" });
      return;
    }
    const chosen = this.details.chosen();
    if (chosen) this.details.onGrant("connect", chosen);
  }

  /** @param {"release" | "retry" | "reconnect" | "options" | "first_run" | "resume" | "resume_all"} action */
  #act(action) {
    if (action === "resume" || action === "resume_all") this.send({ do: "resume", everywhere: action === "resume_all" });
    else if (action === "retry" || action === "reconnect" || action === "release") this.send({ do: action });
    else if (action === "options") void chrome.runtime.openOptionsPage();
    else void chrome.tabs.create({ url: chrome.runtime.getURL("ui/first_run.html") });
  }
}
