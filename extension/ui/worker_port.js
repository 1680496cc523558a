/**
 * A page's port to the worker. It closes when the worker is stopped; opening another starts the worker. The
 * worker hears whether the page can be seen: only then does it count as shown what the page shows.
 */

import { watchVisibility } from "./visibility.js";

/**
 * @param {string} name
 * @param {(message: any) => void} onMessage
 * @returns {(message: object) => void} send
 */
export function openPort(name, onMessage) {
  /** @type {chrome.runtime.Port | null} */
  let port = null;
  let visible = false;

  function connect() {
    const opened = chrome.runtime.connect({ name });
    opened.onMessage.addListener(onMessage);
    opened.onDisconnect.addListener(() => {
      port = null;
      setTimeout(() => port ?? connect(), 250);
    });
    port = opened;
    if (visible) opened.postMessage({ do: "visible", visible });
    return opened;
  }

  connect();
  watchVisibility((now) => {
    visible = now;
    port?.postMessage({ do: "visible", visible });
  });
  return (message) => (port ?? connect()).postMessage(message);
}
