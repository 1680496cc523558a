/**
 * The schema of a tool that a page declares, as a form can stand on it: the page may have written anything. What is left
 * out here, the hub still checks.
 */

/** @typedef {Record<string, any>} Schema */

const MOST_LEVELS = 8;
const TYPES = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"];

/** @type {WeakMap<object, Schema>} */
const made = new WeakMap();

/**
 * @param {unknown} schema
 * @returns {Schema} of an object; the same one for the same schema, since a form forgets what was typed when it gets another
 */
export function formSchema(schema) {
  const known = isObject(schema) ? made.get(schema) : undefined;
  if (known) return known;
  const { properties = {}, required = [] } = part(schema, MOST_LEVELS);
  // What has to be filled in comes first: some browsers give the properties in the order of the alphabet.
  const sorted = Object.entries(properties).toSorted(([one], [other]) => Number(required.includes(other)) - Number(required.includes(one)));
  const form = { type: "object", properties: Object.fromEntries(sorted), required };
  if (isObject(schema)) made.set(schema, form);
  return form;
}

/**
 * @param {unknown} schema
 * @param {number} levels
 * @returns {Schema}
 */
function part(schema, levels) {
  if (!isObject(schema) || levels === 0) return {};
  /** @type {Schema} */
  const kept = {};
  const types = [schema.type].flat().filter((type) => TYPES.has(type));
  if (types.length > 0) kept.type = types.length === 1 ? types[0] : types;
  for (const key of ["title", "description"]) if (typeof schema[key] === "string") kept[key] = schema[key];
  for (const key of NUMBERS) if (typeof schema[key] === "number") kept[key] = schema[key];
  if (Array.isArray(schema.enum) && schema.enum.length > 0) kept.enum = schema.enum;
  if (schema.default !== undefined) kept.default = schema.default;
  if (isObject(schema.items)) kept.items = part(schema.items, levels - 1);
  if (isObject(schema.properties)) {
    const parts = Object.entries(schema.properties).map(([name, inner]) => [name, part(inner, levels - 1)]);
    kept.properties = Object.fromEntries(parts);
  }
  if (Array.isArray(schema.required)) kept.required = schema.required.filter((/** @type {unknown} */ name) => typeof name === "string");
  if (!kept.enum && Array.isArray(schema.anyOf) && schema.anyOf.length > 0) {
    kept.anyOf = schema.anyOf.map((/** @type {unknown} */ inner) => part(inner, levels - 1));
  }
  return kept;
}

/**
 * @param {unknown} value
 * @returns {value is Schema}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
