/**
 * A JSON Schema of an object as the fields of a form: what each is called, how it is typed in, and what text means as a value.
 */

/** @typedef {Record<string, any>} Schema */
/** @typedef {"text" | "code" | "number" | "boolean" | "enum" | "flags" | "target" | "lines" | "mixed" | "json"} Kind */
/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {Kind} kind
 * @property {boolean} required
 * @property {string} help description, bounds and default in words
 * @property {string} unit "" where there is none
 * @property {unknown} fallback the default, or undefined
 * @property {unknown[]} options of enum and flags
 * @property {Schema} schema
 */

/** Strings with these names are programs or longer texts. */
const CODE = new Set(["expression", "script", "function", "code", "body", "html", "text"]);
const PIXELS = new Set(["x", "y", "delta_x", "delta_y", "width", "height", "max_side", "max_height"]);
const SUFFIXES = /** @type {[RegExp, string][]} */ ([
  [/(^timeout|_ms)$/, "ms"],
  [/_bytes$/, "bytes"],
  [/_chars$/, "characters"],
  [/_kbps$/, "kbit/s"],
]);

/**
 * The fields of a form for an object, in the schema's order.
 * @param {Schema} schema
 * @param {readonly string[]} [omit] names that have no field here
 * @returns {Field[]}
 */
export function fieldsOf(schema, omit = []) {
  const properties = /** @type {Record<string, Schema>} */ (schema.properties ?? {});
  const left = new Set(omit);
  if ("target" in properties) left.add("selector"); // the same, by its older name
  const required = requiredOf(schema, left);
  return Object.entries(properties)
    .filter(([name]) => !left.has(name))
    .map(([name, part]) => {
      const kind = kindOfField(name, part);
      return {
        name,
        label: name.replaceAll("_", " "),
        kind,
        required: required.has(name),
        unit: unitOf(name, part),
        help: helpOf(part),
        fallback: part.default,
        options: kind === "flags" ? flagsOf(part) : (part.enum ?? []),
        schema: part,
      };
    });
}

/**
 * The names that have to be filled in: where one of several is enough, the one that has a field.
 * @param {Schema} schema
 * @param {ReadonlySet<string>} left names that have no field
 * @returns {Set<string>}
 */
function requiredOf({ required = [], anyOf = [] }, left) {
  const alternatives = anyOf.flatMap((/** @type {Schema} */ part) => part.required ?? []).filter((/** @type {string} */ name) => !left.has(name));
  return new Set([...required, ...(alternatives.length === 1 ? alternatives : [])]);
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @returns {Kind}
 */
function kindOfField(name, schema) {
  const { type } = schema;
  if (schema.enum) return "enum";
  if (flagsOf(schema).length > 0) return "flags";
  if (Array.isArray(type) && type.length === 2 && type.includes("string") && type.includes("object")) return "target";
  if (type === "boolean") return "boolean";
  if (type === "number" || type === "integer") return "number";
  if (type === "string") return CODE.has(name) ? "code" : "text";
  if (type === "array" && schema.items?.type === "string") return "lines";
  const takesText = Array.isArray(type) ? type.includes("string") : (schema.anyOf ?? []).some((/** @type {Schema} */ part) => part.type === "string");
  return takesText ? "mixed" : "json";
}

/**
 * The check boxes where a schema takes a list of named values, or one of them.
 * @param {Schema} schema
 * @returns {unknown[]}
 */
function flagsOf(schema) {
  const lists = [schema, ...(schema.anyOf ?? [])];
  return lists.find((part) => part.type === "array" && part.items?.enum)?.items.enum ?? [];
}

/**
 * @param {string} name
 * @param {Schema} schema
 */
function unitOf(name, { type }) {
  if (type !== "number" && type !== "integer") return "";
  if (PIXELS.has(name)) return "px";
  return SUFFIXES.find(([suffix]) => suffix.test(name))?.[1] ?? "";
}

/**
 * @param {Schema} schema
 */
function helpOf(schema) {
  const { description = "" } = schema;
  const [minimum, maximum, exclusiveMinimum, maxItems] = ["minimum", "maximum", "exclusiveMinimum", "maxItems"].map((bound) =>
    schema[bound]?.toLocaleString(),
  );
  const bounds =
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}.`
      : minimum !== undefined
        ? `At least ${minimum}.`
        : exclusiveMinimum !== undefined
          ? `More than ${exclusiveMinimum}${maximum === undefined ? "" : `, at most ${maximum}`}.`
          : maximum !== undefined
            ? `At most ${maximum}.`
            : maxItems !== undefined
              ? `At most ${maxItems}.`
              : "";
  const words = ["ms", "CSS, {ref}, {role,name}, ..."].includes(description) ? "" : description;
  return [words && !/[.?!…]$/.test(words) ? `${words}.` : words, bounds].filter(Boolean).join(" ");
}

/**
 * The typed text as a value of the schema: undefined leaves the field out. Throws a `SyntaxError` in words.
 * @param {Field} field
 * @param {string} text
 * @returns {unknown}
 */
export function valueOf({ kind }, text) {
  if (kind === "text" || kind === "code") return text === "" ? undefined : text;
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  switch (kind) {
    case "number": {
      const number = Number(trimmed);
      if (!Number.isFinite(number)) throw new SyntaxError("This is not a number.");
      return number;
    }
    case "target":
      return trimmed.startsWith("{") ? parsed(trimmed) : trimmed;
    case "lines":
      return trimmed.startsWith("[") ? parsed(trimmed) : trimmed.split("\n").map((line) => line.trim()).filter(Boolean);
    case "mixed":
      return /^([[{].*|true|false)$/s.test(trimmed) ? parsed(trimmed) : text;
    default:
      return parsed(trimmed);
  }
}

/**
 * The text that shows a value in its field.
 * @param {Field} field
 * @param {unknown} value
 * @returns {string}
 */
export function textOf({ kind }, value) {
  if (value === undefined || value === null) return "";
  if (kind === "lines" && Array.isArray(value) && value.every((item) => typeof item === "string" && !/\n|^\s|^\[/.test(item))) return value.join("\n");
  if (typeof value === "string" && kind !== "json") return value;
  return typeof value === "object" ? JSON.stringify(value, null, kind === "target" ? undefined : 2) : JSON.stringify(value);
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new SyntaxError(`This is not JSON: ${message}`);
  }
}
