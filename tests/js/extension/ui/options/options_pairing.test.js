import assert from "node:assert/strict";
import { after, before, beforeEach, mock, test } from "node:test";

import { all, button, find, mount, page, rendered, textOf, type } from "../../../support/elements.js";
import { FakeChrome } from "../../../support/chrome.js";
import { KEY, PORT, prove } from "../../../support/hub.js";
import { FakeSocket } from "../../../support/socket.js";
await import("../../../../../extension/ui/options/pairing.js");

/** @type {FakeChrome} */
let chrome;
/** @type {any} */
let options;

const FILE = JSON.stringify({ port: PORT, key: KEY.toString("base64url"), version: "1.2" });

before(() => mock.timers.enable({ apis: ["setTimeout"] }));
after(() => mock.timers.reset());

beforeEach(async () => {
  chrome = new FakeChrome().install();
  FakeSocket.install();
  await open();
});

async function open() {
  options = await mount("k-pairing");
  await settled();
}

async function settled() {
  await options.done;
  await rendered(options);
}

/** The hub proves itself on the socket that what was just begun opens. */
async function hubAnswers() {
  await FakeSocket.until(() => FakeSocket.opened.length > 0);
  await prove(FakeSocket.last);
  await settled();
}

/** @param {string} text of the file that the person chooses */
function choose(text) {
  const field = find(options, "#file");
  const files = [{ text: async () => text }];
  Object.defineProperty(field, "files", { value: files, configurable: true });
  field.dispatchEvent(new page.Event("change", { bubbles: true }));
}

const note = () => find(options, ".note");

test("a browser that is not paired reads how to pair it", () => {
  assert.match(textOf(note()), /This browser is not paired with a hub yet\./);
  assert(note().classList.contains("bad"));
  assert(all(note(), "k-code").some(({ text }) => text === "kapture setup"));
});

test("Pair again looks anew, and names the hub that it finds", async () => {
  chrome.nativeHost = () => ({ port: PORT, key: KEY.toString("base64url"), version: "1.2" });
  button(options, "Pair again").click();
  await rendered(options);
  assert.match(textOf(note()), /Looking for the hub…/);
  await hubAnswers();
  assert.match(textOf(note()), new RegExp(`Paired with the hub on port ${PORT}, through the installed helper`));
  assert(note().classList.contains("good"));
});

test("a chosen file pairs until it is forgotten, and its key is in memory only", async () => {
  choose(FILE);
  await hubAnswers();
  assert.match(textOf(note()), /through the chosen file/);
  assert.equal(chrome.storage.session.values.pairingFile.port, PORT);
  assert.deepEqual(chrome.storage.local.values, {});
  button(options, "Forget the chosen file").click();
  await settled();
  assert.deepEqual(chrome.storage.session.values, {});
  assert.match(textOf(note()), /not paired/);
  assert.equal(all(options, "button").some((one) => textOf(one) === "Forget the chosen file"), false);
});

for (const [text, message] of [["{", "This file is not JSON."], ["{}", "This is not a Kapture pairing file."]]) {
  test(`a file with ${text} is refused: ${message}`, async () => {
    choose(text);
    await settled();
    assert(textOf(note()).includes(message));
    assert.deepEqual(chrome.storage.session.values, {});
  });
}

test("a port is kept, and the pairing is looked at with it", async () => {
  chrome.nativeHost = () => ({ port: PORT, key: KEY.toString("base64url"), version: "1.2" });
  type(find(options, "#port"), "4000");
  find(options, "form").dispatchEvent(new page.Event("submit", { cancelable: true }));
  await settled();
  assert.equal(chrome.storage.local.values.port, 4000);
  assert(textOf(options).includes("Saved."));
  assert(textOf(note()).includes(`The hub is on port ${PORT}, and Kapture's options say 4000.`));
});
