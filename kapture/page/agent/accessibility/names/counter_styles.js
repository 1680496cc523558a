// Numbers in CSS counter styles (CSS Counter Styles 3). Nothing here uses the document.

const ROMAN = /** @type {[number, string][]} */ ([
  [1000, "m"], [900, "cm"], [500, "d"], [400, "cd"], [100, "c"], [90, "xc"], [50, "l"], [40, "xl"], [10, "x"], [9, "ix"],
  [5, "v"], [4, "iv"], [1, "i"],
]);

const LATIN = "abcdefghijklmnopqrstuvwxyz";
const GREEK = "αβγδεζηθικλμνξοπρστυφχψω";

/**
 * A number in a style; in decimal if the style cannot represent it, or is not known.
 * @param {number} value
 * @param {string} style
 */
export function formatCounter(value, style) {
  switch (style) {
    case "none":
      return "";
    case "disc":
      return "•";
    case "circle":
      return "◦";
    case "square":
      return "▪";
    case "decimal-leading-zero":
      return (value < 0 ? "-" : "") + String(Math.abs(value)).padStart(2, "0");
    case "lower-alpha":
    case "lower-latin":
      return alphabetic(value, LATIN);
    case "upper-alpha":
    case "upper-latin":
      return alphabetic(value, LATIN).toUpperCase();
    case "lower-greek":
      return alphabetic(value, GREEK);
    case "lower-roman":
      return roman(value);
    case "upper-roman":
      return roman(value).toUpperCase();
    default:
      return String(value);
  }
}

/**
 * @param {number} value
 * @param {string} letters
 */
function alphabetic(value, letters) {
  if (value < 1) return String(value);
  let text = "";
  for (let left = value; left > 0; left = Math.floor((left - 1) / letters.length))
    text = letters[(left - 1) % letters.length] + text;
  return text;
}

/** @param {number} value */
function roman(value) {
  if (value < 1 || value > 3999) return String(value);
  let left = value;
  let text = "";
  for (const [worth, sign] of ROMAN)
    while (left >= worth) {
      text += sign;
      left -= worth;
    }
  return text;
}
