// Which fields hold secrets. What is typed into them is never part of a recorded action.

import { nameOf } from "./names/accname.js";
import { flatClosest, holds } from "../dom/flat_tree.js";
import { state } from "../state.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Values of `autocomplete` (HTML: autofill detail tokens), and the name of the secret. */
const BY_AUTOCOMPLETE = /** @type {Record<string, string>} */ ({
  "current-password": "password", "new-password": "password", "one-time-code": "one_time_code",
});

/** Words in a field's name, id or label, and the name of the secret. */
const BY_WORDS = /** @type {[RegExp, string][]} */ ([
  [/pass[\s_-]?(word|wd|code|phrase)|\bpwd\b/i, "password"],
  [/\b(otp|totp|one[\s_-]?time[\s_-]?(code|password|pin)|2fa|mfa)\b|(verification|security|authentication)[\s_-]?code/i, "one_time_code"],
  [/\b(cvv|cvc|csc)2?\b/i, "card_code"],
  [/(card|cc)[\s_-]?(number|no|num)\b/i, "card_number"],
  [/\b(api|access|secret|private)[\s_-]?(key|token)\b|\bclient[\s_-]?secret\b/i, "token"],
]);

/** Attributes that name a field, or a component around it. */
const NAMING = ["name", "id", "label", "aria-label", "placeholder", "autocomplete", "type"];

const FIELDS = "input:not([type=hidden], [type=checkbox], [type=submit], [type=button]), textarea";

/** Words in a form, or in its page's URL, that indicate signing in or up. */
const SIGN_IN = /\b(log|sign)[\s_-]?(in|on|up)\b|\b(login|signin|signup|logon|sso)\b|\/(auth|authenticate|session)s?\b/i;

/** Identifiers with which people sign in. */
const IDENTITY = /** @type {[RegExp, string][]} */ ([
  [/e-?mail/i, "email"],
  [/phone|mobile|\btel\b/i, "phone"],
  [/user|login|account|member|customer|\bid\b/i, "username"],
]);

/**
 * The name of the secret that a field holds: `password`, `card_number`; undefined if it holds none.
 * @param {Element} field
 * @param {Reading} reading
 * @returns {string | undefined}
 */
export function secretOf(field, reading) {
  if (!(field instanceof HTMLInputElement) && !(field instanceof HTMLTextAreaElement)) return undefined;
  const { passwords } = state.recordedSecrets;
  if (field.type === "password") passwords.add(field);
  for (const token of (field.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/)) {
    if (token in BY_AUTOCOMPLETE) return BY_AUTOCOMPLETE[token];
    if (token.startsWith("cc-")) return cardPart(token);
  }
  const words = wordsOf(field, reading);
  const [, named] = BY_WORDS.find(([pattern]) => pattern.test(words)) ?? [];
  // A field that has shown its password on request is still a password field.
  const hidden = passwords.has(field) || getComputedStyle(field).getPropertyValue("-webkit-text-security") !== "none";
  if (hidden) return named ?? "password";
  if (named) return named;
  if (!isInSignIn(field, reading)) return undefined;
  if (field.type === "email") return "email";
  if (field.type === "tel") return "phone";
  return IDENTITY.find(([pattern]) => pattern.test(words))?.[1];
}

/** @param {string} token */
function cardPart(token) {
  if (token === "cc-csc") return "card_code";
  return token === "cc-number" ? "card_number" : `card_${token.slice(3).replaceAll("-", "_")}`;
}

/**
 * The names of the field; inside a component that is one field, also those of the component.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {Reading} reading
 */
function wordsOf(field, reading) {
  const names = [nameOf(field, reading)];
  let holder = /** @type {Element} */ (field);
  for (;;) {
    for (const name of NAMING) names.push(holder.getAttribute(name) ?? "");
    const root = holder.getRootNode();
    if (!(root instanceof ShadowRoot) || root.querySelectorAll(FIELDS).length > 1) break;
    holder = root.host;
  }
  return names.join(" ").replace(/([a-z])([A-Z])/g, "$1 $2");
}

/**
 * Whether the field's form is for signing in: it has a password field, or words that indicate it. For a field without a
 * form, whether the part of the page around it has.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {Reading} reading
 */
function isInSignIn(field, reading) {
  const form = field.form ?? flatClosest(field, "form, [role=form], dialog, [role=dialog], main") ?? document.body;
  const parts = [form, ...scopesIn(form, reading)];
  if (parts.some((part) => part.querySelector("input[type=password], input[autocomplete*=password]"))) return true;
  const submit = parts.map((part) => part.querySelector("button:not([type=button]), input[type=submit]")).find(Boolean);
  const words = [
    ...["id", "class", "name", "action", "aria-label"].map((name) => form.getAttribute(name) ?? ""),
    submit?.textContent ?? "",
    submit?.getAttribute("value") ?? "",
  ];
  const fields = parts.reduce((count, part) => count + part.querySelectorAll(FIELDS).length, 0);
  // Sign-in that asks for the name first and for the password on the next page.
  return fields <= 2 && (SIGN_IN.test(words.join(" ")) || SIGN_IN.test(location.pathname));
}

/**
 * The shadow roots in an element.
 * @param {Element} element
 * @param {Reading} reading
 */
function scopesIn(element, reading) {
  return /** @type {ShadowRoot[]} */ (reading.scopes().slice(1)).filter((scope) => holds(element, scope.host));
}
