// Words of pages and clients in sentences of ours. Letters of right-to-left scripts turn around what stands beside them:
// digits, punctuation, the other words of the sentence. `<bdi>` keeps them to themselves.

// Hebrew, Arabic and the other scripts that are written from right to left, with the blanks between words of one.
const LETTERS = "\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}";
const RUN = new RegExp(`([${LETTERS}]+(?: +[${LETTERS}]+)*)`, "u");

/**
 * Text in parts of which every second one is to stand in a `<bdi>`, so that code and arguments are read in the order in
 * which they count: in `send("א", 5, "ב")` the 5 stays in the middle.
 * @param {string} text
 * @returns {string[]}
 */
export function runsOf(text) {
  return text.split(RUN);
}
