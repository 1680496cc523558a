import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const CSS = readFileSync(new URL("../../../../extension/ui/tokens.css", import.meta.url), "utf8");
const PALETTE = new Map([...CSS.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name, light, dark]) => [name, { light, dark }]));

const GROUNDS = ["ground", "raised", "hover", "selected"];
/** Each text with what it stands on. @type {[string, string][]} */
const TEXTS = [
  ...["text", "quiet", "accent", "good", "warn", "bad", "ask"].flatMap((text) => GROUNDS.map((ground) => /** @type {[string, string]} */ ([text, ground]))),
  ...["key", "string", "number", "keyword"].flatMap((part) => GROUNDS.map((ground) => /** @type {[string, string]} */ ([`syntax-${part}`, ground]))),
  ...["accent", "good", "warn", "bad", "ask"].flatMap((tone) => /** @type {[string, string][]} */ ([
    [tone, `${tone}-soft`],
    ["text", `${tone}-soft`],
    ["quiet", `${tone}-soft`],
  ])),
  ["accent-text", "accent"],
];

/** Relative luminance, WCAG 2.2. @param {string} color */
function luminance(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {string} one @param {string} other @param {"light" | "dark"} theme */
function contrast(one, other, theme) {
  const [a, b] = [one, other].map((name) => luminance(/** @type {any} */ (PALETTE.get(name))[theme])).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}

for (const theme of /** @type {const} */ (["light", "dark"])) {
  test(`in the ${theme} palette every text can be read on what it stands on (WCAG AA)`, () => {
    assert(PALETTE.size > 20);
    const low = TEXTS.map(([text, ground]) => ({ text, ground, ratio: contrast(text, ground, theme) })).filter(({ ratio }) => ratio < 4.5);
    assert.deepEqual(low, []);
  });

  test(`in the ${theme} palette the border of a control can be seen`, () => {
    for (const ground of ["ground", "raised"]) assert(contrast("control-line", ground, theme) >= 3, ground);
  });
}
