import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { covers, parseSite, siteCovers, siteOf, whyClosed } from "../../../../../extension/worker/gate/sites.js";

/** @type {{site: string, url: string, covered: boolean}[]} the hub's tests read the same file */
const COVERAGE = JSON.parse(readFileSync(new URL("../../../../policy/sites.json", import.meta.url), "utf8"));

for (const { site, url, covered } of COVERAGE) {
  test(`${site} ${covered ? "covers" : "does not cover"} ${JSON.stringify(url)}`, () => {
    assert.equal(covers({ sites: [site] }, url), covered);
  });
}

/** @type {[string, string | null][]} */
const OFFERED = [
  ["https://www.example.com/x", "example.com"],
  ["https://shop.example.com/", "shop.example.com"],
  ["http://127.0.0.1:8000/", "127.0.0.1:8000"],
  ["https://localhost/", "localhost:443"],
  ["http://192.168.1.10/", "192.168.1.10:80"],
  ["file:///tmp/x.html", "file://"],
  ["blob:https://example.com/1", "example.com"],
  ["about:blank", null],
  ["chrome://settings", null],
  ["", null],
];

for (const [address, site] of OFFERED) {
  test(`Connect offers ${site} for ${address || "a tab without address"}`, () => {
    assert.equal(siteOf(address), site);
    if (site) assert(siteCovers(site, address.replace(/^blob:/, "")));
  });
}

/** @type {[string, string | null][]} */
const TYPED = [
  ["example.com", "example.com"],
  [" Example.COM ", "example.com"],
  ["https://example.com/path?q", "example.com"],
  ["example.com:8080", "example.com:8080"],
  ["https://example.com:443/", "example.com:443"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["[::1]:8000", "[::1]:8000"],
  ["intranet", "intranet"],
  ["*", "*"],
  ["file:///home", "file://"],
  ["*.example.com", null],
  ["user@example.com", null],
  ["two words", null],
  ["", null],
  ["https://", null],
];

for (const [text, site] of TYPED) {
  test(`typed ${JSON.stringify(text)} means ${site}`, () => assert.equal(parseSite(text), site));
}

/** @type {[string, boolean][]} */
const CLOSED = [
  ["https://shop.example/", false],
  ["http://127.0.0.1:8000/", false],
  ["file:///home/me/page.html", false],
  ["about:blank", false],
  ["", false],
  ["chrome://settings/", true],
  ["edge://settings/", true],
  ["devtools://devtools/bundled/x.html", true],
  ["view-source:https://shop.example/", true],
  ["https://chromewebstore.google.com/detail/x", true],
  ["https://chrome.google.com/webstore/detail/x", true],
  ["https://chrome.google.com/", false],
  ["chrome-extension://jjllhgagajepglkofmhapipikepcofkp/ui/options.html", true],
  ["http://127.0.0.1:61822/console/", true],
];

for (const [address, closed] of CLOSED) {
  test(`${address || "an empty tab"} ${closed ? "can never" : "can"} be connected`, () => {
    assert.equal(whyClosed(address, ["ws://127.0.0.1:61822/"]) !== null, closed);
  });
}
