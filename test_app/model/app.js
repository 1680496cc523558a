/**
 * The Console's own state: what is selected and shown. Views read it and call its methods; what is to survive a reload is kept for
 * this browser tab.
 */

import { formSchema } from "../ui/components/form/page_tool_schema.js";
import { Connection, EVERYTHING } from "./connection.js";
import { firstSteps } from "./first_steps.js";
import { History } from "./history.js";
import { HistoryDatabase } from "./history_database.js";
import { Live } from "./live.js";
import { Runner } from "./runner.js";
import { Session } from "./session.js";
import { Store } from "./store.js";
import { TabNotes } from "./tab_notes.js";
import { TabScenarios } from "./tab_scenarios.js";

/** @typedef {"wall" | "commands" | "scenarios" | "activity" | "logs" | "network" | "status"} View */
/** @typedef {import("./live.js").Tab} Tab */
/**
 * @typedef {object} Command as the hub describes it
 * @property {string} name
 * @property {string} title
 * @property {string} description
 * @property {string} toolset
 * @property {string} level
 * @property {string} lane
 * @property {string} scope
 * @property {number} timeoutMs
 * @property {boolean} destructive
 * @property {Record<string, any>} schema
 */
/**
 * @typedef {{
 *   name: string, title: string, description: string, group: string, level: string, takesTab: boolean, ofPage: boolean,
 *   schema: Record<string, any>
 * }} Tool `ofPage`: declared by a page, so that all texts are untrusted
 */

/** @type {[View, string][]} */
export const VIEWS = [
  ["wall", "Wall"],
  ["commands", "Commands"],
  ["scenarios", "Scenarios"],
  ["activity", "Activity"],
  ["logs", "Logs"],
  ["network", "Network"],
  ["status", "Status"],
];
const KEPT = "kapture-console-state";
const PREFIX = "kapturemcp_";
/** Of tools that pages declare: no other tool's name begins so. */
const PAGE_PREFIX = "page_";

export class App extends Store {
  session = Session.ofPage();
  live = new Live();
  /** The client whose tools are shown. */
  connection = new Connection(this.session);
  #database = new HistoryDatabase();
  history = new History(this.#database);
  runner = new Runner(this);
  scenarios = new TabScenarios(this);
  notes = new TabNotes();
  /** @type {View} */
  view = "wall";
  tabId = "";
  tool = `${PREFIX}snapshot`;
  /** The call that is looked at in the waterfall. */
  callNumber = 0;
  /** The tab that is shown large, and whether a click there picks an element. @type {{tabId: string, picked: ((target: unknown) => void) | null} | null} */
  stage = null;
  /** Whether the first steps were shown and no command had run: the wall goes on with them, until all are done or they are closed. */
  beginning = false;
  /** @type {"" | "light" | "dark"} */
  theme = "";
  /** @type {Map<string, Command>} */
  commands = new Map();
  /** Whether the hub is being asked for them. */
  #asksForCommands = false;
  /**
   * The client for the Console's own needs, when the tools shown are a choice; `ready` when it has connected, or cannot.
   * @type {{connection: Connection, ready: Promise<void>} | null}
   */
  #own = null;

  start() {
    Object.assign(this, JSON.parse(sessionStorage.getItem(KEPT) ?? "{}"));
    this.#applyTheme();
    this.connection.onConnected = (token) => this.live.open(token);
    this.live.mayReopen = () => this.connection.state === "connected"; // otherwise there is no hub, or it knows the token no more
    this.live.subscribe(() => this.#liveChanged());
    this.connection.subscribe(() => this.changed());
    addEventListener("pagehide", () => this.#database.leave());
    void this.history.load().catch(() => undefined); // a browser that keeps nothing: the history is this page's
    void this.connection.connect();
  }

  /** @param {Partial<Pick<App, "view" | "tabId" | "tool" | "callNumber" | "theme" | "stage" | "beginning">>} change */
  set(change) {
    const { tool: before, tabId: on } = this;
    Object.assign(this, change);
    if (this.tool !== before || this.tabId !== on) this.runner.endPick();
    this.#keep();
    this.#applyTheme();
    this.changed();
  }

  #keep() {
    const { view, tabId, tool, theme } = this;
    const beginning = this.beginning && !firstSteps(this.live).every(({ done }) => done);
    sessionStorage.setItem(KEPT, JSON.stringify({ view, tabId, tool, theme, beginning }));
  }

  /** @returns {Tab | undefined} */
  get tab() {
    return this.live.tabs.get(this.tabId);
  }

  /** Why views do not read the selected tab's page by themselves; "" where they may. They would put questions to the person. */
  get unreadable() {
    const { tab } = this;
    return tab && !tab.readable ? `${tab.url || "This page"} is outside this tab's grant: nothing of it is shown.` : "";
  }

  /** The tools of the client, with what a form needs. @returns {Tool[]} */
  get tools() {
    return this.connection.tools.map(({ name, title, description = "", inputSchema }) => {
      if (name.startsWith(PAGE_PREFIX)) {
        const schema = formSchema(inputSchema);
        return { name, title: name.slice(PAGE_PREFIX.length), description, group: "page tools", level: "interact", takesTab: false, ofPage: true, schema };
      }
      const command = this.connection.options.profile === "kapture" ? this.commands.get(name.slice(PREFIX.length)) : undefined;
      const schema = command?.schema ?? inputSchema;
      return {
        name,
        title: command?.title ?? title ?? name,
        description: command?.description ?? description,
        group: command?.toolset ?? "tools",
        level: command?.level ?? "",
        takesTab: Boolean(/** @type {any} */ (schema).properties?.tabId),
        ofPage: false,
        schema,
      };
    });
  }

  /**
   * Run one of Kapture's own commands for the Console: logs, mouse, picking.
   * @param {string} command
   * @param {Record<string, unknown>} given
   */
  async command(command, given) {
    const result = await this.call(command, given);
    if (result.error) throw new Error(result.error.message);
    return result;
  }

  /**
   * The same; that it failed is part of the result.
   * @param {string} command
   * @param {Record<string, unknown>} given
   * @param {import("./connection.js").CallOptions} [options]
   */
  async call(command, given, options) {
    const connection = await this.#withEverything();
    return connection.call(PREFIX + command, given, options);
  }

  /** A client with all of Kapture's tools: that whose tools are shown, or another one, of which there is one at most. */
  async #withEverything() {
    const { profile, toolsets } = this.connection.options;
    if (profile === EVERYTHING.profile && toolsets.includes("all")) {
      this.#endOwn();
      return this.connection;
    }
    if (!this.#own || this.#own.connection.state === "refused") {
      const connection = new Connection(this.session);
      this.#own = { connection, ready: connection.connect(EVERYTHING) };
    }
    const { connection, ready } = this.#own;
    await ready;
    return connection;
  }

  async disconnect() {
    this.#endOwn();
    await this.connection.disconnect();
    this.live.close();
  }

  #endOwn() {
    void this.#own?.connection.disconnect();
    this.#own = null;
  }

  /**
   * Let the person point at an element in the picture of the selected tab.
   * @returns {Promise<unknown>} a target; undefined when they gave up
   */
  pick() {
    return new Promise((resolve) => this.set({ stage: { tabId: this.tabId, picked: resolve } }));
  }

  closeStage() {
    this.stage?.picked?.(undefined);
    this.set({ stage: null });
  }

  async #liveChanged() {
    const { tabs, hub } = this.live;
    if (hub && !tabs.has(this.tabId)) {
      // its tabs came before the hub: it is known whether this one is gone
      this.tabId = tabs.keys().next().value ?? "";
      this.runner.endPick();
    }
    if (hub) this.notes.keep(tabs);
    if (this.stage && !tabs.has(this.stage.tabId)) this.closeStage();
    if (this.beginning) this.#keep();
    if (!this.live.connected) this.commands.clear(); // the next hub may have others
    this.changed();
    if (this.live.connected && this.commands.size === 0 && !this.#asksForCommands) {
      this.#asksForCommands = true;
      /** @type {Command[]} */
      const described = await this.live.ask("commands").catch(() => []); // the connection is gone: asked again on the next one
      this.#asksForCommands = false;
      this.commands = new Map(described.map((command) => [command.name, command]));
      this.changed();
    }
  }

  #applyTheme() {
    if (this.theme) document.documentElement.dataset.theme = this.theme;
    else delete document.documentElement.dataset.theme;
  }
}
