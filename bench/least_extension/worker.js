// The least that an extension can do: one WebSocket, one debugger session, nothing checked. A message is a list of
// stages; the commands of a stage are sent together, with the value that the stage before has evaluated.

import { PORT } from "./port.js";

async function connect() {
  const [{ id: tabId }] = await chrome.tabs.query({});
  await chrome.debugger.attach({ tabId }, "1.3");
  const socket = new WebSocket(`ws://127.0.0.1:${PORT}/`);
  socket.onmessage = async ({ data }) => {
    let found;
    for (const stage of JSON.parse(data)) {
      const sent = stage.map(({ method, params }) => chrome.debugger.sendCommand({ tabId }, method, { ...params, ...found }));
      const [first] = await Promise.all(sent);
      found = first?.result?.value;
    }
    socket.send(JSON.stringify(found ?? null));
  };
}

void connect();
