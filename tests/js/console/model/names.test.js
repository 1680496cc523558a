import assert from "node:assert/strict";
import { test } from "node:test";

const { nameOf, placesOf } = await import("../../../../test_app/model/names.js");

/** @param {[string, string][]} tabs title and address @returns {string[]} where each is */
function places(...tabs) {
  const all = /** @type {any[]} */ (tabs.map(([title, url], at) => ({ tabId: `tab${at}`, title, url })));
  const found = placesOf(all);
  return all.map(({ tabId }) => found.get(tabId) ?? "");
}

test("a tab whose title cannot be seen is called by its host, and no title turns around the words beside it", () => {
  const name = (/** @type {string} */ title) => nameOf({ tabId: "t1", title, url: "https://a.example/1" });
  for (const title of ["", " ", "\u202e".repeat(500), "\u200b\u2066\u0007\ufeff", "\u3164 \u2800"]) assert.equal(name(title), "a.example");
  assert.equal(name("\u202egpj.exe\u202c"), "gpj.exe");
  assert.equal(name("two\nlines"), "two lines");
  for (const title of ["سلام‌علیکم", "👩‍💻 work", "(3) Inbox", "…"]) assert.equal(name(title), title);
});

test("a tab is at its host", () => {
  assert.deepEqual(places(["Shop", "https://a.example/1"], ["Mail", "https://a.example/2"], ["Shop", "https://b.example/1"]), [
    "a.example",
    "a.example",
    "b.example",
  ]);
});

test("of tabs that have a title and a host in common the addresses are shown, from where they differ", () => {
  assert.deepEqual(places(["Orders", "https://a.example:8000/orders/1?new"], ["Orders", "https://a.example:8000/orders/22"]), [
    "a.example:8000/…/1?new",
    "a.example:8000/…/22",
  ]);
  assert.deepEqual(places(["Shop", "https://a.example/"], ["Shop", "https://a.example/#more"]), ["a.example/", "a.example/#more"]);
  assert.deepEqual(places(["Shop", "https://a.example/🛒/x/1"], ["Shop", "https://a.example/🛒/x/2"]), ["a.example/…/1", "a.example/…/2"]);
  assert.deepEqual(places(["New", "about:blank"], ["New", "about:blank#2"]), ["about:blank", "about:blank#2"]);
});

test("of tabs that have all in common the ids are shown", () => {
  assert.deepEqual(places(["Shop", "https://a.example/x"], ["Shop", "https://a.example/x"]), ["a.example · tab0", "a.example · tab1"]);
  assert.deepEqual(places(["", ""], ["", ""]), ["", ""]);
});

test("of many tabs each address is looked at a few times, not once for each other tab", () => {
  let looks = 0;
  const all = Array.from({ length: 200 }, (_, at) => ({
    tabId: `tab${at}`,
    title: "Shop",
    get url() {
      looks += 1;
      return `https://a.example/orders/${at}`;
    },
  }));
  assert.equal(placesOf(all).get("tab7"), "a.example/…/7");
  assert.ok(looks < 200 * 10, `${looks} looks`);
});
