import assert from "node:assert/strict";
import test from "node:test";
import { iconWord, ligatureWord } from "../../../../kapture/page/agent/snapshot/icon_words.js";

test("a class says what an icon is, whatever library it is of", () => {
  const words = {
    "fa-trash-o": "trash-o",
    "bi-pencil": "pencil",
    "mdi-content-save": "content-save",
    "glyphicon-remove": "remove",
    "icon_delete": "delete",
    "CloseIcon": "close",
    "trash-icon": "trash",
    "btn-close": "close",
    "close": "close",
    "anticon-search": "search",
    "DeleteOutlineIcon": "delete-outline",
    "mantine-trash-icon": "trash",
    "el-icon-edit": "edit",
    "stepper-button-plus": "plus",
    "flatpickr-next-month": "next-month",
    "lg-prev": "prev",
    "van-stepper__plus": "plus",
    "pager__next": "next",
  };
  for (const [token, word] of Object.entries(words)) assert.equal(iconWord(token), word, token);
});

test("the text of an icon font is the icon's name, unless it is a sign of its own", () => {
  assert.equal(ligatureWord("arrow_drop_down"), "arrow-drop-down");
  assert.equal(ligatureWord("event"), "event");
  for (const text of ["\uf1f8", "Save", "x", ""]) assert.equal(ligatureWord(text), undefined, text);
});
