// Which hub a pairing leads to.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { chooseFile, forgetFile, pair } from "../../../../../extension/worker/connection/pairing.js";

const KEY = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k";

/** One of Chrome's storage areas. */
function area() {
  /** @type {Record<string, unknown>} */
  const kept = {};
  return {
    get: async (/** @type {string | null} */ name) => (name === null ? kept : { [name]: kept[name] }),
    set: async (/** @type {Record<string, unknown>} */ values) => void Object.assign(kept, values),
    remove: async (/** @type {string} */ name) => void delete kept[name],
  };
}

/**
 * Chrome, as far as pairing uses it.
 * @param {() => Promise<unknown>} host the native host's answer
 */
function browser(host) {
  const runtime = { sendNativeMessage: host };
  Object.assign(globalThis, { chrome: { storage: { local: area(), session: area() }, runtime } });
}

beforeEach(() => browser(async () => ({ port: 61822, key: KEY, version: "1" })));

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
  browser(() => Promise.reject(new Error("Specified native messaging host not found.")));
  await assert.rejects(pair(), { code: "NO_HOST" });
  await chooseFile(JSON.stringify({ port: 5000, key: KEY, version: "1" }));
  assert.deepEqual({ port: (await pair()).port, source: (await pair()).source }, { port: 5000, source: "file" });
  await forgetFile();
  await assert.rejects(pair(), { code: "NO_HOST" });
});

test("a file other than a pairing file is refused", async () => {
  for (const text of ["", "7", "{}", JSON.stringify({ port: 0, key: KEY }), JSON.stringify({ port: 5000, key: "!" })]) {
    await assert.rejects(chooseFile(text), { code: "BAD_FILE" }, text);
  }
});
