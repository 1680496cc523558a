/**
 * The access levels in a person's words: value, name and what it allows, each with all that the one before it does.
 */

/** @type {["read" | "interact" | "full", string, string][]} */
export const LEVELS = [
  ["read", "Read", "See the page, its console and its network traffic, but change nothing."],
  ["interact", "Interact", "Also click, type, fill in forms, navigate and download, like a person at the keyboard."],
  ["full", "Full", "Also run any code in the page, read and change its cookies and storage, and paste from your clipboard."],
];

/** The colour of each, also of a tab without access. @type {Record<string, import("./badge.js").Tone>} */
export const LEVEL_TONES = { none: "off", read: "accent", interact: "good", full: "ask" };
