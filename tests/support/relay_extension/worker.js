// A relay extension as its specification describes it. PORT is put in by the test that loads it.

const PORT = 23001;

/** @type {Set<number>} */
const attached = new Set();
/** @type {WebSocket | undefined} */
let socket;

const send = (message) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
const status = () => send({ type: "status", attachedTabs: [...attached] });

async function attach(tabId) {
  if (!attached.has(tabId)) {
    await chrome.debugger.attach({ tabId }, "1.3");
    attached.add(tabId);
    status();
  }
}

const methods = {
  "tabs.list": async () =>
    (await chrome.tabs.query({})).map(({ id, url, title, active, windowId }) => ({
      id, url, title, active, windowId, attached: attached.has(id),
    })),
  "tabs.create": async ({ url, active }) => chrome.tabs.create({ url, active }),
  "tabs.navigate": async ({ tabId, url }) => chrome.tabs.update(tabId, { url }),
  "tabs.screenshot": async ({ windowId, format, quality }) => ({
    dataUrl: await chrome.tabs.captureVisibleTab(windowId, { format, quality }),
  }),
  "debugger.attach": async ({ tabId }) => (await attach(tabId), { attached: true }),
  "debugger.detach": async ({ tabId }) => {
    await chrome.debugger.detach({ tabId });
    attached.delete(tabId);
    status();
    return { attached: false };
  },
  "cdp.send": async ({ tabId, method, params }) => {
    await attach(tabId);
    return chrome.debugger.sendCommand({ tabId }, method, params);
  },
};

async function answer({ id, method, params }) {
  try {
    if (!methods[method]) throw new Error(`Unknown method: ${method}`);
    send({ id, result: await methods[method](params ?? {}) });
  } catch (error) {
    send({ id, error: error.message });
  }
}

async function connect() {
  try {
    const config = await (await fetch(`http://127.0.0.1:${PORT}/api/browser-relay/config`)).json();
    socket = new WebSocket(`ws://127.0.0.1:${config.port}/ws/browser-relay?token=${config.token}`);
    socket.onopen = status;
    socket.onclose = () => setTimeout(connect, 300);
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "ping") send({ type: "pong" });
      else if (message.method) answer(message);
    };
  } catch {
    setTimeout(connect, 300);
  }
}

chrome.debugger.onEvent.addListener(({ tabId }, method, params) => send({ type: "cdp_event", tabId, method, params }));
chrome.debugger.onDetach.addListener(({ tabId }) => {
  attached.delete(tabId);
  status();
});
chrome.tabs.onCreated.addListener(status);
chrome.tabs.onRemoved.addListener(status);
chrome.tabs.onUpdated.addListener(status);
connect();
