/**
 * Keeps a port to the worker. It closes when the worker ends; opening another starts the worker again.
 */

const PAUSE_MS = 200;

function connect() {
  const port = chrome.runtime.connect({ name: "waker" });
  port.onDisconnect.addListener(() => setTimeout(connect, PAUSE_MS));
}

connect();
