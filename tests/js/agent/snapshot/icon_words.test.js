import assert from "node:assert/strict";
import test from "node:test";
import { fileWord, iconWord, ligatureWord } from "../../../../kapture/page/agent/snapshot/icon_words.js";

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

test("a class that only says how something looks, or is made up by a tool, says nothing", () => {
  const tokens = ["btn", "btn-primary", "fa", "fas", "fa-lg", "fa-2x", "icon", "icon-wrapper", "bi-sm", "css-1a2b3c", "sc-bdVaJa", "mantine-action-icon"];
  const madeUp = ["_close_1x9ab_12", "Bar_close__x7YqA", "w-[20px]", "x1n2onr6"];
  const looks = ["van-stepper__input", "card__icon", "header__button", "px-4", "hover:bg-red", "MuiSvgIcon-root", "card", "fui-Icon-regular"];
  for (const token of [...tokens, ...madeUp, ...looks])
    assert.equal(iconWord(token), undefined, token);
});

test("an address says what a picture shows", () => {
  assert.equal(fileWord("/img/Trash.3fa9c1d2.svg?v=2"), "trash");
  assert.equal(fileWord("sprite.svg#icon-edit"), "edit");
  assert.equal(fileWord("mdi:home"), "home");
  assert.equal(fileWord("https://cdn.example/icons/arrow_left.png"), "arrow-left");
  assert.equal(fileWord("data:image/png;base64,AAAA"), undefined);
  assert.equal(fileWord("/img/123.png"), undefined);
});

test("the text of an icon font is the icon's name, unless it is a sign of its own", () => {
  assert.equal(ligatureWord("arrow_drop_down"), "arrow-drop-down");
  assert.equal(ligatureWord("event"), "event");
  for (const text of ["\uf1f8", "Save", "x", ""]) assert.equal(ligatureWord(text), undefined, text);
});
