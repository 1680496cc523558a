/**
 * A page's port to the worker, for one tab. It closes when the worker is stopped; opening another starts the worker.
 */

/**
 * @param {number} chromeTabId
 * @param {(message: any) => void} onMessage
 * @returns {(message: object) => void} send
 */
export function openPort(chromeTabId, onMessage) {
  /** @type {chrome.runtime.Port | null} */
  let port = null;

  function connect() {
    const opened = chrome.runtime.connect({ name: `tab:${chromeTabId}` });
    opened.onMessage.addListener(onMessage);
    opened.onDisconnect.addListener(() => {
      port = null;
      setTimeout(() => port ?? connect(), 250);
    });
    port = opened;
    return opened;
  }

  connect();
  return (message) => (port ?? connect()).postMessage(message);
}
