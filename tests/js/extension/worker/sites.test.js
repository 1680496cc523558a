import assert from "node:assert/strict";
import { test } from "node:test";

import { covers, parseSite, siteCovers, siteOf } from "../../../../extension/worker/sites.js";

/** @type {[string, string, boolean][]} site, address, covered */
const COVERAGE = [
  ["example.com", "https://example.com/a?b#c", true],
  ["example.com", "http://example.com:8080/", true],
  ["example.com", "https://shop.example.com/", true],
  ["example.com", "https://EXAMPLE.com./", true],
  ["example.com", "https://notexample.com/", false],
  ["example.com", "https://example.com.evil.net/", false],
  ["example.com", "https://example.com@evil.net/", false],
  ["example.com", "https://evil.net/example.com", false],
  ["example.com", "https://evil.net/?https://example.com", false],
  ["example.com", "ftp://example.com/", false],
  ["example.com", "chrome://example.com/", false],
  ["example.com:8443", "https://example.com:8443/", true],
  ["example.com:8443", "https://example.com/", false],
  ["example.com:443", "https://example.com/", true],
  ["example.com:443", "http://example.com/", false],
  ["127.0.0.1:8000", "http://127.0.0.1:8000/", true],
  ["127.0.0.1:8000", "http://127.0.0.1:8001/", false],
  ["0.0.1", "http://127.0.0.1/", false],
  ["127.0.0.1:8000", "http://x.127.0.0.1.nip.io:8000/", false],
  ["localhost:3000", "http://localhost:3000/", true],
  ["localhost:3000", "http://localhost:3001/", false],
  ["[::1]:80", "http://[::1]/", true],
  ["xn--bcher-kva.example", "https://bücher.example/", true],
  ["*", "https://anything.example/", true],
  ["*", "file:///etc/passwd", false],
  ["com", "https://example.com/", false],
  ["localhost", "http://app.localhost:3000/", true],
  ["*", "chrome://settings/", false],
  ["*", "chrome-extension://jjllhgagajepglkofmhapipikepcofkp/ui/popup.html", false],
  ["*", "devtools://devtools/", false],
  ["file://", "file:///home/me/a.html", true],
  ["file://", "https://file/", false],
  ["file://", "file://server/share/x", false],
  ["file://", "file:////server/share/x", false],
  ["example.com", "file:///example.com", false],
  ["example.com", "nonsense", false],
];

for (const [site, address, expected] of COVERAGE) {
  test(`${site} ${expected ? "covers" : "does not cover"} ${address}`, () => {
    assert.equal(siteCovers(site, address), expected);
  });
}

test("a blob belongs to the site that made it", () => {
  assert(covers({ sites: ["example.com"] }, "blob:https://example.com/1-2-3"));
  assert(!covers({ sites: ["example.com"] }, "blob:https://evil.net/https://example.com/"));
});

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
