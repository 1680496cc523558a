import assert from "node:assert/strict";
import { test } from "node:test";

import { asInherited } from "../../../kapture/page/agent/form_properties.mjs";

for (const [source, built] of [
  ["element.children", "$(element).children"],
  ["element.children.length", "$(element).children.length"],
  ["element.parentElement.children", "$($(element).parentElement).children"],
  ["element.matches(other.id)", "$(element).matches($(other).id)"],
  ["list[0].title = text", "$(list[0]).title = text"],
  ["event.composedPath()[0].localName", "$(event.composedPath()[0]).localName"],
  ["/** @type {any} */ (element).id", "/** @type {any} */ $((element)).id"],
  ["`${element.id}`", "`${$(element).id}`"],
  ["const { localName, parentElement } = element;", "const { localName, parentElement } = $(element);"],
  ["const { control } = /** @type {any} */ (element);", "const { control } = /** @type {any} */ $((element));"],
  // A chain that ends early still does.
  ["found?.children", "$(found)?.children"],
  ["found?.element.children", "$(found?.element)?.children"],
  ["found?.parentElement.getRootNode()", "$($(found)?.parentElement)?.getRootNode()"],
  ["find?.(name).id", "$(find?.(name))?.id"],
]) {
  test(`what may be a form is asked for what it inherits: ${source}`, () => assert.equal(asInherited(source, "$"), built));
}

for (const source of ["document.children", "this.children", "state.refs", "const { refs } = state;", "'element.children'", "{ children: 1 }"]) {
  test(`what is no form is left alone: ${source}`, () => assert.equal(asInherited(source, "$"), source));
}

test("a module that cannot be read stops the build", () => {
  assert.throws(() => asInherited("const = 1;", "$"), /Not JavaScript at/);
});
