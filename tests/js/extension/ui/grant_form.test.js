import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { GrantForm } from "../../../../extension/ui/grant_form.js";
import { openPage, textOf } from "../../support/page.js";

/** @type {any} */
let page;
/** @type {GrantForm} */
let form;
let edits = 0;

beforeEach(() => {
  page = openPage();
  edits = 0;
  form = new GrantForm(() => (edits += 1));
  page.document.body.append(form.element);
});

/** The person chooses. @param {HTMLInputElement} input */
function choose(input) {
  input.checked = true;
  input.dispatchEvent(new page.Event("input", { bubbles: true }));
}

/** @param {string} text */
function type(text) {
  form.list.focus();
  form.list.value = text;
  form.list.dispatchEvent(new page.Event("input", { bubbles: true }));
}

test("a tab is offered this site and its subdomains, at interact", () => {
  form.show("shop.example", null, false);
  assert.deepEqual(form.read(), { grant: { sites: ["shop.example"], level: "interact" }, remember: false });
  assert(textOf(form.element).includes("shop.example and its subdomains"));
});

test("an address on this computer is offered as it is, without subdomains", () => {
  form.show("127.0.0.1:8000", null, false);
  assert(!textOf(form.element).includes("subdomains"));
});

test("a tab without a site is offered any site", () => {
  form.show(null, null, false);
  assert.equal(form.choice.own.disabled, true);
  assert.deepEqual(form.read()?.grant.sites, ["*"]);
});

for (const grant of /** @type {import("../../../../extension/worker/access.js").Grant[]} */ ([
  { sites: ["shop.example"], level: "read" },
  { sites: ["*"], level: "full" },
  { sites: ["a.test", "b.test:8443"], level: "interact" },
])) {
  test(`the grant ${JSON.stringify(grant)} is shown as it is`, () => {
    form.show("shop.example", grant, true);
    assert.deepEqual(form.read(), { grant, remember: true });
  });
}

test("typed sites are taken as sites, each once", () => {
  form.show("shop.example", null, false);
  type("https://A.test/path, b.test  a.test");
  assert.deepEqual(form.read()?.grant.sites, ["a.test", "b.test"]);
});

test("what is no site is refused, and the form says which", () => {
  form.show("shop.example", null, false);
  type("a.test, *.b.test");
  assert.equal(form.read(), null);
  assert.equal(form.problem.hidden, false);
  assert(textOf(form.problem).includes("*.b.test"));
  type("");
  assert.equal(form.read(), null);
  type("a.test");
  assert.equal(form.problem.hidden, true);
});

test("what a level means is stated in words", () => {
  form.show("shop.example", null, false);
  choose(form.level.full);
  assert(textOf(form.meaning).includes("cookies"));
  assert.equal(edits, 1);
});

test("an edit is not overwritten by what happens meanwhile, until it is taken", () => {
  form.show("shop.example", { sites: ["shop.example"], level: "read" }, false);
  choose(form.level.full);
  form.show("shop.example", { sites: ["shop.example"], level: "read" }, false);
  assert.equal(form.read()?.grant.level, "full");
  form.settle();
  form.show("shop.example", { sites: ["shop.example"], level: "read" }, false);
  assert.equal(form.read()?.grant.level, "read");
});
