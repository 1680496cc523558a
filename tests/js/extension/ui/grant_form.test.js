import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { find, mount, page, rendered, textOf, type } from "../../support/elements.js";
await import("../../../../extension/ui/grant_form.js");

/** @type {any} */
let form;
let edits = 0;

/** @param {Record<string, unknown>} given */
async function show(given) {
  Object.assign(form, given);
  await rendered(form);
}

beforeEach(async () => {
  edits = 0;
  form = await mount("k-grant", { site: "shop.example" });
  form.addEventListener("edit", () => (edits += 1));
});

/** The person chooses. @param {string} value */
async function choose(value) {
  const input = find(form, `input[value="${value}"]`);
  input.checked = true;
  input.dispatchEvent(new page.Event("change", { bubbles: true }));
  await rendered(form);
}

/** @param {string} text */
async function typeSites(text) {
  if (!find(form, ".sites")) await choose("list");
  type(find(form, ".sites"), text);
  await rendered(form);
}

test("a tab is offered this site and its subdomains, at interact", () => {
  assert.deepEqual(form.read(), { grant: { sites: ["shop.example"], level: "interact" }, remember: false });
  assert(textOf(form).includes("shop.example and its subdomains"));
});

test("an address on this computer is offered as it is, without subdomains", async () => {
  await show({ site: "127.0.0.1:8000" });
  assert(!textOf(form).includes("subdomains"));
});

test("in a group, the person chooses whether its agents may too, on one machine by default", async () => {
  await show({ group: "team", clients: ["claude"] });
  assert.equal(form.read().group, null);
  assert.match(textOf(form), /Only agents on this machine/);
  const box = find(form, "[aria-describedby=machines]");
  box.checked = true;
  box.dispatchEvent(new page.Event("change"));
  await rendered(form);
  assert.match(textOf(form), /Agents on every machine of the group/);
  assert.equal(form.read().group, "team");
  Object.assign(form, { days: "30", client: "" });
  assert.equal(form.read().lasting.group, "team");
  form.client = "claude";
  assert.deepEqual([form.read().group, form.read().lasting.group], [null, null]);
});

test("a tab without a site is offered any site", async () => {
  await show({ site: null });
  assert.equal(find(form, 'input[value="own"]').disabled, true);
  assert.deepEqual(form.read().grant.sites, ["*"]);
});

for (const grant of /** @type {import("../../../../extension/worker/gate/access.js").Grant[]} */ ([
  { sites: ["shop.example"], level: "read" },
  { sites: ["*"], level: "full" },
  { sites: ["a.test", "b.test:8443"], level: "interact" },
])) {
  test(`the grant ${JSON.stringify(grant)} is shown as it is`, async () => {
    await show({ grant, remembered: true });
    assert.deepEqual(form.read(), { grant, remember: true });
  });
}

test("typed sites are taken as sites, each once", async () => {
  await typeSites("https://A.test/path, b.test  a.test");
  assert.deepEqual(form.read().grant.sites, ["a.test", "b.test"]);
});

test("an invalid site is refused and named by the form", async () => {
  await typeSites("a.test, *.b.test");
  assert.equal(form.read(), null);
  await rendered(form);
  assert(textOf(find(form, ".problem")).includes("*.b.test"));
  await typeSites("");
  assert.equal(form.read(), null);
  await typeSites("a.test");
  assert.equal(find(form, ".problem").hidden, true);
});

test("an edit is not overwritten by what happens meanwhile, until it is taken", async () => {
  const grant = { sites: ["shop.example"], level: "read" };
  await show({ grant });
  await choose("full");
  await show({ grant: { ...grant } });
  assert.equal(form.read().grant.level, "full");
  form.settle();
  await rendered(form);
  assert.equal(form.read().grant.level, "read");
});
