/**
 * A fake of the edge at which the extension meets Chrome: the chrome.* functions that it calls, over tabs, storage, a
 * debugger and downloads that a test sets up and answers. It decides nothing: what Chrome would do is in the test.
 */

import { EXTENSION, FakeEvent, FakePort, FakeStorage } from "./chrome_parts.js";

/** @typedef {{id: number, url: string, pendingUrl?: string, title: string, discarded?: boolean, windowId?: number, groupId?: number, lastAccessed?: number}} FakeTab */
/** @typedef {(method: string, params: any, target: {tabId: number, sessionId?: string}) => any} Answer */

export class FakeChrome {
  constructor() {
    /** @type {Map<number, FakeTab>} */
    this.open = new Map();
    /** @type {Set<number>} tabs that the debugger is attached to */
    this.attached = new Set();
    /** @type {[string, ...any[]][]} the calls that change something, in their order */
    this.calls = [];
    /** @type {Map<number, string>} what `debugger.attach` is refused with, by tab */
    this.refusals = new Map();
    /** @type {Answer} */
    this.answer = () => ({});
    /** @type {(message: any) => any} */
    this.nativeHost = () => {
      throw new Error("Specified native messaging host not found.");
    };
    /** @type {any[]} downloads, as chrome.downloads lists them */
    this.downloadItems = [];
    /** @type {Promise<void> | undefined} until when no download begins */
    this.downloadsHeld = undefined;
    this.ids = 100;
    /** Groups of tabs. @type {Map<number, any>} */
    this.groups = new Map();
    this.tabGroups = {
      get: async (/** @type {number} */ id) => {
        if (![...this.open.values()].some(({ groupId }) => groupId === id)) throw new Error(`No group with id: ${id}.`);
        return this.groups.get(id);
      },
      update: async (/** @type {number} */ id, /** @type {object} */ change) => void Object.assign(this.groups.get(id), change),
    };
    this.userAgent = "Chrome/150";

    const call = this.#call.bind(this);
    const changed = new FakeEvent();
    this.storage = { session: new FakeStorage("session", changed), local: new FakeStorage("local", changed), onChanged: changed };
    this.alarms = {
      onAlarm: new FakeEvent(),
      /** @type {Map<string, object>} */
      set: new Map(),
      get: async (/** @type {string} */ name) => this.alarms.set.get(name),
      create: async (/** @type {string} */ name, /** @type {object} */ when) => void this.alarms.set.set(name, when),
      clear: async (/** @type {string} */ name) => this.alarms.set.delete(name),
    };
    this.webNavigation = { onCreatedNavigationTarget: new FakeEvent() };
    this.runtime = {
      onStartup: new FakeEvent(),
      onInstalled: new FakeEvent(),
      onConnect: new FakeEvent(),
      id: EXTENSION,
      getURL: (/** @type {string} */ path) => `chrome-extension://${EXTENSION}/${path}`,
      getManifest: () => ({ version: "0.1.0" }),
      sendNativeMessage: async (/** @type {string} */ _host, /** @type {any} */ message) => this.nativeHost(message),
      openOptionsPage: () => call("runtime.openOptionsPage"),
      /** @type {FakePort[]} */
      ports: [],
      connect: (/** @type {{name: string}} */ { name }) => {
        const port = new FakePort(name);
        this.runtime.ports.push(port);
        return port;
      },
    };
    this.tabs = {
      onCreated: new FakeEvent(),
      onUpdated: new FakeEvent(),
      onRemoved: new FakeEvent(),
      onReplaced: new FakeEvent(),
      onActivated: new FakeEvent(),
      group: async (/** @type {any} */ { tabIds, groupId, createProperties }) => {
        const id = groupId ?? ++this.ids;
        if (createProperties) this.groups.set(id, { id, windowId: createProperties.windowId });
        this.#tab(tabIds).groupId = id;
        return id;
      },
      ungroup: async (/** @type {number} */ id) => void (this.#tab(id).groupId = -1),
      get: async (/** @type {number} */ id) => ({ ...this.#tab(id) }),
      query: async () => [...this.open.values()],
      update: async (/** @type {number} */ id, /** @type {object} */ change) => {
        call("tabs.update", id, change);
        return { ...this.#tab(id) };
      },
      create: async (/** @type {{url: string}} */ options) => {
        call("tabs.create", options);
        return this.openTab({ url: "", pendingUrl: options.url });
      },
      remove: async (/** @type {number} */ id) => {
        call("tabs.remove", id);
        this.open.delete(id);
      },
    };
    this.contextMenus = { onClicked: new FakeEvent(), create: (/** @type {object} */ item) => call("contextMenus.create", item) };
    /** Documents without a window. */
    this.documents = 0;
    /** @type {object} what of a new window is otherwise than asked for */
    this.openedWindow = {};
    this.browserWindow = { left: 100, top: 50, width: 1200, height: 900, state: "normal", focused: true };
    /** What windows may cover of each screen. */
    this.screens = [{ left: 0, top: 0, width: 1920, height: 1080 }];
    this.system = { display: { getInfo: async () => this.screens.map((workArea) => ({ workArea })) } };
    /** @type {Map<number, object>} windows that were created */
    this.createdWindows = new Map();
    this.windows = {
      onRemoved: new FakeEvent(),
      onBoundsChanged: new FakeEvent(),
      onFocusChanged: new FakeEvent(),
      WINDOW_ID_NONE: -1,
      create: async (/** @type {object} */ options) => {
        call("windows.create", options);
        const id = ++this.ids;
        this.createdWindows.set(id, { id, state: "normal", ...options, ...this.openedWindow });
        return this.createdWindows.get(id);
      },
      get: async (/** @type {number} */ id) => /** @type {chrome.windows.Window} */ ({ ...this.browserWindow, id, ...this.createdWindows.get(id) }),
      getLastFocused: async () => /** @type {chrome.windows.Window} */ ({ ...this.browserWindow, id: 1 }),
      update: async (/** @type {number} */ id, /** @type {object} */ change) => call("windows.update", id, change),
      remove: async (/** @type {number} */ id) => {
        call("windows.remove", id);
        this.windows.onRemoved.emit(id);
      },
    };
    this.debugger = {
      onEvent: new FakeEvent(),
      onDetach: new FakeEvent(),
      attach: async (/** @type {{tabId: number}} */ { tabId }) => {
        call("debugger.attach", tabId);
        this.#tab(tabId);
        const refusal = this.refusals.get(tabId);
        if (refusal) throw new Error(refusal);
        if (this.attached.has(tabId)) throw new Error(`Another debugger is already attached to the tab with id: ${tabId}.`);
        this.attached.add(tabId);
      },
      detach: async (/** @type {{tabId: number}} */ { tabId }) => {
        call("debugger.detach", tabId);
        if (!this.attached.delete(tabId)) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
      },
      sendCommand: async (/** @type {any} */ target, /** @type {string} */ method, /** @type {any} */ params) => {
        if (!this.attached.has(target.tabId)) throw new Error("Debugger is not attached to the tab.");
        return this.answer(method, params, target);
      },
    };
    this.downloads = {
      onCreated: new FakeEvent(),
      onChanged: new FakeEvent(),
      onDeterminingFilename: new FakeEvent(),
      download: async (/** @type {{url: string}} */ options) => {
        call("downloads.download", options);
        await this.downloadsHeld;
        return this.download({ url: options.url }).id;
      },
      search: async (/** @type {{id?: number}} */ { id }) =>
        this.downloadItems.filter((item) => id === undefined || item.id === id).map((item) => ({ ...item })),
      cancel: async (/** @type {number} */ id) => call("downloads.cancel", id),
      removeFile: async (/** @type {number} */ id) => call("downloads.removeFile", id),
      erase: async (/** @type {{id: number}} */ { id }) => {
        call("downloads.erase", id);
        this.downloadItems = this.downloadItems.filter((item) => item.id !== id);
        return [id];
      },
    };
    this.devtools = {
      panels: { themeName: "dark", setThemeChangeHandler: (/** @type {(name: string) => void} */ handler) => (this.onTheme = handler) },
      inspectedWindow: {
        tabId: 7,
        /** @type {unknown} what the element that is selected in Elements gives */
        selected: undefined,
        eval: (/** @type {string} */ _code, /** @type {(result: unknown) => void} */ answer) => answer(this.devtools.inspectedWindow.selected),
      },
      network: { onRequestFinished: new FakeEvent() },
    };
    /** DevTools changes its theme. @type {(name: string) => void} */
    this.onTheme = () => undefined;
    this.notifications = {
      onClicked: new FakeEvent(),
      create: async (/** @type {string} */ id, /** @type {object} */ options) => call("notifications.create", id, options),
      clear: async (/** @type {string} */ id) => call("notifications.clear", id),
    };
    /** Whether the person has pinned the extension's button. */
    this.pinned = false;
    this.action = {
      getUserSettings: async () => ({ isOnToolbar: this.pinned }),
      setBadgeText: async (/** @type {object} */ badge) => call("action.setBadgeText", badge),
      setBadgeBackgroundColor: async () => {},
      setTitle: async (/** @type {object} */ title) => call("action.setTitle", title),
    };
  }

  /** Make it the `chrome` of this process. */
  install() {
    Object.assign(globalThis, { chrome: this });
    const navigator = { userAgent: this.userAgent };
    Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
    return this;
  }

  /**
   * @param {Partial<FakeTab>} tab
   * @returns {FakeTab}
   */
  openTab(tab = {}) {
    const made = { id: ++this.ids, url: "https://shop.example/", title: "Shop", windowId: 1, ...tab };
    this.open.set(made.id, made);
    return made;
  }

  /** Let downloads begin only when the returned function is called, as for a server that does not answer. */
  holdDownloads() {
    /** @type {() => void} */
    let begin = () => {};
    this.downloadsHeld = new Promise((resolve) => (begin = resolve));
    return () => {
      this.downloadsHeld = undefined;
      begin();
    };
  }

  /** @param {object} item */
  download(item) {
    const made = /** @type {any} */ ({ id: ++this.ids, state: "in_progress", filename: "/downloads/a", exists: true, ...item });
    made.finalUrl ??= made.url;
    this.downloadItems.push(made);
    this.downloads.onCreated.emit({ ...made });
    return made;
  }

  /** The calls of one function, without its name. @param {string} name */
  callsOf(name) {
    return this.calls.filter(([called]) => called === name).map(([, ...args]) => args);
  }

  /** @param {string} name @param {...any} args */
  #call(name, ...args) {
    this.calls.push([name, ...args]);
  }

  /** @param {number} id */
  #tab(id) {
    const tab = this.open.get(id);
    if (!tab) throw new Error(`No tab with id: ${id}.`);
    return tab;
  }
}
