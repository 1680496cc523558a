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

test("tabs with equal title and host show the differing part of their addresses", () => {
  assert.deepEqual(places(["Orders", "https://a.example:8000/orders/1?new"], ["Orders", "https://a.example:8000/orders/22"]), [
    "a.example:8000/…/1?new",
    "a.example:8000/…/22",
  ]);
  assert.deepEqual(places(["Shop", "https://a.example/"], ["Shop", "https://a.example/#more"]), ["a.example/", "a.example/#more"]);
  assert.deepEqual(places(["Shop", "https://a.example/🛒/x/1"], ["Shop", "https://a.example/🛒/x/2"]), ["a.example/…/1", "a.example/…/2"]);
  assert.deepEqual(places(["New", "about:blank"], ["New", "about:blank#2"]), ["about:blank", "about:blank#2"]);
});
