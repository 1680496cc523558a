import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { copyText } from "../../../../../extension/ui/components/clipboard.js";
import { openPage } from "../../../support/page.js";

/** @type {any} */
let page;
/** @type {string[]} */
let copied;

beforeEach(() => {
  page = openPage();
  copied = [];
  page.document.execCommand = () => {
    const { value, selectionStart, selectionEnd } = page.document.querySelector("textarea");
    copied.push(value.slice(selectionStart, selectionEnd));
    return true;
  };
});

test("the whole text is copied, and nothing of it is left in the page", () => {
  const before = page.document.body.innerHTML;
  assert.equal(copyText("a\n<b>"), true);
  assert.deepEqual(copied, ["a\n<b>"]);
  assert.equal(page.document.body.innerHTML, before);
});
