import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { find, mount, page, rendered, textOf } from "../../../support/elements.js";
import { idle } from "../../../support/idle.js";
import { Observed } from "../../../../../extension/ui/components/observed.js";
await import("../../../../../extension/ui/scenarios/save_form.js");

/** A recording that is saved as the test says. */
class FakeRecording extends Observed {
  busy = false;
  /** @type {object | null} */
  problem = null;
  answer = true;
  /** @type {object[]} */
  asked = [];

  /** @param {object} given */
  async save(given) {
    this.asked.push(given);
    return this.answer;
  }
}

/** @type {FakeRecording} */
let recording;
/** @type {any} */
let form;
/** @type {string[]} */
let ended;

beforeEach(async () => {
  recording = new FakeRecording();
  ended = [];
  form = await mount("k-save-recording", {
    recording,
    secrets: ["card", "pin"],
    onSaved: (/** @type {string} */ name) => ended.push(`saved ${name}`),
    onCancel: () => ended.push("cancelled"),
  });
});

/** @param {Record<string, string | boolean>} values by the names of the fields */
async function submit(values) {
  for (const [name, value] of Object.entries(values)) {
    Object.assign(find(form, `[name=${name}]`), typeof value === "string" ? { value } : { checked: value });
  }
  find(form, "form").dispatchEvent(new page.Event("submit", { cancelable: true }));
  await idle();
  await rendered(form);
}

/** The recording changes. @param {Partial<FakeRecording>} state */
async function becomes(state) {
  Object.assign(recording, state).changed();
  await rendered(form);
}

test("a recording is saved under its name, without what was left empty, and secrets are not stored unasked", async () => {
  await submit({ name: " sign_in ", title: " ", description: "" });
  assert.deepEqual(recording.asked, [{ name: "sign_in" }]);
  assert.deepEqual(ended, ["saved sign_in"]);
});

test("title, description and stored secrets go with it when the person gives them", async () => {
  assert.match(textOf(form), /Store card, pin on this computer, encrypted; otherwise each run asks/);
  await submit({ name: "a", title: "Sign in", description: "With a card", store: true });
  assert.deepEqual(recording.asked, [{ name: "a", title: "Sign in", description: "With a card", store_secrets: true }]);
});

test("tags, and texts that differ between runs, go with it", async () => {
  form.steps = [
    { id: "a1", title: "fill City", value: "Rome" },
    { id: "a2", title: "click Go", value: null },
    { id: "a3", title: "fill Password", value: null, secret: "password" },
  ];
  await rendered(form);
  assert.equal(form.renderRoot.querySelectorAll("[name^=parameter]").length, 1);
  await submit({ name: "a", tags: "shop, , travel", "'parameter a1'": "city" });
  assert.deepEqual(recording.asked, [{ name: "a", tags: ["shop", "travel"], parameters: { a1: "city" } }]);
});

test("a refused form stays open and says why", async () => {
  recording.answer = false;
  await submit({ name: "a" });
  await becomes({ problem: { code: "SCENARIO_INVALID", message: "No step was recorded.", hint: "" } });
  assert.deepEqual(ended, []);
  assert(textOf(form).includes("No step was recorded."));
  assert.equal(find(form, "[name=replace]"), null);
});

test("a name that is taken is replaced only when the person ticks it", async () => {
  await becomes({ problem: { code: "SCENARIO_INVALID", message: "There is already a scenario a.", hint: "" } });
  await submit({ name: "a" });
  await submit({ replace: true });
  assert.deepEqual(recording.asked, [{ name: "a" }, { name: "a", replace: true }]);
});
