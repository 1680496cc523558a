/**
 * The control of one field of a form: a check box, a choice, a line or more of text.
 */

import { html, nothing } from "../../vendor/lit.js";

/** @typedef {import("./schema_fields.js").Field} Field */
/**
 * @typedef {object} Held
 * @property {unknown} value
 * @property {string} text the field's text
 * @property {boolean} invalid
 * @property {boolean} described whether there is a sentence about it
 * @property {(value: unknown) => void} set undefined leaves the field out
 * @property {(text: string) => void} type the person has typed
 * @property {() => void} leave the person has left a field that they changed
 */

const PLACEHOLDERS = /** @type {Record<string, string>} */ ({ target: "CSS selector, or {…}", json: "JSON", lines: "One per line" });

/**
 * @param {Field} field
 * @param {Held} held
 */
export function control(field, held) {
  if (field.kind === "boolean") return checkBox(field, held);
  if (field.kind === "flags") return flags(field, held);
  return field.kind === "enum" ? choice(field, held) : text(field, held);
}

/**
 * @param {Field} field
 * @param {Held} held
 */
function checkBox({ name, required, fallback = false }, { value, described, set }) {
  return html`<input
    type="checkbox"
    id="in-${name}"
    aria-labelledby="label-${name}"
    aria-describedby=${described ? `help-${name}` : nothing}
    .checked=${(value ?? fallback) === true}
    @change=${(/** @type {any} */ { target }) => set(target.checked === fallback && !required ? undefined : target.checked)}
  />`;
}

/**
 * @param {Field} field
 * @param {Held} held
 */
function flags({ name, options }, { value, described, set }) {
  const chosen = /** @type {unknown[]} */ ([value ?? []].flat());
  const flip = (/** @type {unknown} */ option) => {
    const next = options.filter((one) => chosen.includes(one) !== (one === option));
    set(next.length > 0 ? next : undefined);
  };
  return html`<div class="choices" role="group" aria-labelledby="label-${name}" aria-describedby=${described ? `help-${name}` : nothing}>
    ${options.map(
      (option) => html`<label><input type="checkbox" .checked=${chosen.includes(option)} @change=${() => flip(option)} />${option}</label>`,
    )}
  </div>`;
}

/**
 * @param {Field} field
 * @param {Held} held
 */
function choice({ name, required, fallback, options }, { value, invalid, described, set }) {
  const none = fallback === undefined ? (required ? "Choose…" : "–") : `${fallback} (default)`;
  return html`<select
    id="in-${name}"
    aria-required=${required}
    aria-invalid=${invalid}
    aria-describedby=${described ? `help-${name}` : nothing}
    @change=${(/** @type {any} */ { target }) => set(options[target.selectedIndex - 1])}
  >
    <option .selected=${value === undefined}>${none}</option>
    ${options.map((option) => html`<option .selected=${value === option}>${option}</option>`)}
  </select>`;
}

/**
 * @param {Field} field
 * @param {Held} held
 */
function text({ name, kind, required, fallback }, { text, invalid, described, type, leave }) {
  const placeholder = fallback === undefined || fallback === "" ? (PLACEHOLDERS[kind] ?? "") : cut(fallback);
  const help = described ? `help-${name}` : nothing;
  const typed = (/** @type {any} */ event) => type(event.target.value);
  if (kind === "text" || kind === "number" || kind === "target") {
    return html`<input
      type="text"
      id="in-${name}"
      inputmode=${kind === "number" ? "decimal" : nothing}
      autocomplete="off"
      spellcheck="false"
      class=${kind === "text" ? "" : "mono"}
      placeholder=${placeholder}
      aria-required=${required}
      aria-invalid=${invalid}
      aria-describedby=${help}
      .value=${text}
      @input=${typed}
      @change=${leave}
    />`;
  }
  return html`<textarea
    id="in-${name}"
    rows="1"
    spellcheck="false"
    class="mono"
    placeholder=${placeholder}
    aria-required=${required}
    aria-invalid=${invalid}
    aria-describedby=${help}
    .value=${text}
    @input=${typed}
    @change=${leave}
  ></textarea>`;
}

/** @param {unknown} value */
function cut(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
