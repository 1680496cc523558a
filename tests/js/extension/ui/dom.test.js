import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { byId } from "../../../../extension/ui/dom.js";
import { openPage } from "../../support/page.js";

beforeEach(() => void openPage());

test("an element is found by its id", () => assert.equal(byId("popup").localName, "main"));

test("an id that the page does not have is an error that names it", () => assert.throws(() => byId("nowhere"), /#nowhere/));
