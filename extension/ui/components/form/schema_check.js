/**
 * Whether a value fits a JSON Schema, in sentences for a person: the keywords that the commands' schemas use.
 */

/** @typedef {Record<string, any>} Schema */
/** @typedef {{path: string[], message: string}} Problem */

/** @type {Record<string, string>} */
const NAMES = { array: "a list", boolean: "true or false", integer: "a whole number", null: "null", number: "a number", object: "an object", string: "text" };

/**
 * The problems of a value, by the path of each part; empty if it fits.
 * @param {Schema} schema
 * @param {unknown} value
 * @param {string[]} [path]
 * @returns {Problem[]}
 */
export function problemsOf(schema, value, path = []) {
  const say = (/** @type {string} */ message) => [{ path, message }];
  const { anyOf = [], ...all } = schema;
  const tried = anyOf.map((/** @type {Schema} */ part) => problemsOf(part, value, path));
  if (tried.length > 0 && tried.every((/** @type {Problem[]} */ found) => found.length > 0)) {
    const types = anyOf.map(typeOf).map((/** @type {string} */ type) => NAMES[type] ?? "one of the listed values");
    const fitting = tried.find((/** @type {Problem[]} */ _found, /** @type {number} */ at) => isOf(typeOf(anyOf[at]), value));
    return [...(fitting ?? say(`Must be ${[...new Set(types)].join(" or ")}.`)), ...problemsOf(all, value, path)];
  }
  if (schema.enum) return schema.enum.includes(value) ? [] : say(`Must be one of ${schema.enum.join(", ")}.`);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(type, value))) return say(`Must be ${types.map((type) => NAMES[type] ?? type).join(" or ")}.`);
  if (typeof value === "number") return bounds(schema, value).flatMap(say);
  if (typeof value === "string") return lengths(schema, value).flatMap(say);
  if (Array.isArray(value)) return items(schema, value, path);
  if (typeof value === "object" && value !== null) return properties(schema, /** @type {Record<string, unknown>} */ (value), path);
  return [];
}

/** One that only says which names it requires is of an object. @param {Schema} schema @returns {string} */
function typeOf({ type, required }) {
  return type ?? (required ? "object" : "");
}

/**
 * @param {string} type
 * @param {unknown} value
 */
function isOf(type, value) {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/**
 * @param {Schema} schema
 * @param {number} value
 * @returns {string[]}
 */
function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }, value) {
  if (value < minimum) return [`Must be at least ${minimum}.`];
  if (value > maximum) return [`Must be at most ${maximum}.`];
  if (value <= exclusiveMinimum) return [`Must be more than ${exclusiveMinimum}.`];
  if (value >= exclusiveMaximum) return [`Must be less than ${exclusiveMaximum}.`];
  return [];
}

/**
 * @param {Schema} schema
 * @param {string} value
 * @returns {string[]}
 */
function lengths({ minLength, maxLength, pattern }, value) {
  if (value.length < minLength) return [minLength === 1 ? "Must not be empty." : `Must have at least ${minLength} characters.`];
  if (value.length > maxLength) return [`Must have at most ${maxLength} characters.`];
  if (pattern && !matches(pattern, value)) return [`Must match ${pattern}.`];
  return [];
}

/**
 * A page's tool may have a pattern that is none: then whoever runs the command says what does not fit.
 * @param {string} pattern
 * @param {string} value
 */
function matches(pattern, value) {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

/**
 * @param {Schema} schema
 * @param {unknown[]} value
 * @param {string[]} path
 * @returns {Problem[]}
 */
function items(schema, value, path) {
  const { minItems = 0, maxItems = Infinity } = schema;
  if (value.length < minItems) return [{ path, message: minItems === 1 ? "Must have at least one entry." : `Must have at least ${minItems} entries.` }];
  if (value.length > maxItems) return [{ path, message: `Must have at most ${maxItems} entries.` }];
  return schema.items ? value.flatMap((item, at) => problemsOf(schema.items, item, [...path, String(at)])) : [];
}

/**
 * @param {Schema} schema
 * @param {Record<string, unknown>} value
 * @param {string[]} path
 * @returns {Problem[]}
 */
function properties({ properties: known = {}, required = [], additionalProperties: more = true }, value, path) {
  const isArgument = path.length === 0; // null, the hub reads, is "not given"
  const missing = required.filter((/** @type {string} */ name) => value[name] === undefined);
  return [
    ...missing.map((/** @type {string} */ name) => ({ path: [...path, name], message: "Required." })),
    ...Object.entries(value).flatMap(([name, part]) => {
      if (part === undefined || (part === null && isArgument && !required.includes(name))) return [];
      if (Object.hasOwn(known, name)) return problemsOf(known[name], part, [...path, name]);
      if (more === false) return [{ path: [...path, name], message: "Unknown parameter." }];
      return typeof more === "object" ? problemsOf(more, part, [...path, name]) : [];
    }),
  ];
}
