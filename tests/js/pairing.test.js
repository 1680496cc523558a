// Which hub a pairing leads to.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { chooseFile, forgetFile, pair } from "../../extension/worker/pairing.js";

const KEY = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k";

/** Chrome's storage areas and native host, as far as pairing uses them. */
function browser({ host }) {
  const area = () => {
    const kept = {};
    return {
      get: async (name) => ({ [name]: kept[name] }),
      set: async (values) => void Object.assign(kept, values),
      remove: async (name) => void delete kept[name],
    };
  };
  return { storage: { local: area(), session: area() }, runtime: { sendNativeMessage: host } };
}

beforeEach(() => {
  globalThis.chrome = browser({ host: async () => ({ port: 61822, key: KEY, version: "1" }) });
});

test("the port is the pairing's own", async () => {
  assert.equal((await pair()).port, 61822);
  await chrome.storage.local.set({ port: 61822 });
  assert.equal((await pair()).port, 61822);
});

test("a hub on another port than the options say is refused, whoever names it", async () => {
  await chrome.storage.local.set({ port: 7000 });
  await assert.rejects(pair(), { code: "OTHER_PORT", message: /61822.*7000/ });
  await assert.rejects(chooseFile(JSON.stringify({ port: 61822, key: KEY })), { code: "OTHER_PORT" });
});

test("without a native host the chosen file pairs, until it is forgotten", async () => {
  const missing = "Specified native messaging host not found.";
  globalThis.chrome = browser({ host: async () => Promise.reject(new Error(missing)) });
  await assert.rejects(pair(), { code: "NO_HOST" });
  await chooseFile(JSON.stringify({ port: 5000, key: KEY, version: "1" }));
  assert.deepEqual({ port: (await pair()).port, source: (await pair()).source }, { port: 5000, source: "file" });
  await forgetFile();
  await assert.rejects(pair(), { code: "NO_HOST" });
});

test("what is no pairing file is not taken", async () => {
  for (const text of ["", "7", "{}", JSON.stringify({ port: 0, key: KEY }), JSON.stringify({ port: 5000, key: "!" })]) {
    await assert.rejects(chooseFile(text), { code: "BAD_FILE" }, text);
  }
});
