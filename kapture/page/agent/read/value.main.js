// Converts a value of the page's main world to JSON. It runs in that world, with its source from the hub, so it is
// self-contained. `JSON.stringify` would not do: it calls `toJSON`, which some libraries add to the prototypes of arrays and
// strings, and it throws for what is circular.

/**
 * @param {unknown} value
 * @param {number} limit characters of JSON at most
 * @param {string} [named] the type to give it; by default its own
 * @returns {string | [string, ...Node[]]} JSON `[type, whether something was cut, value]`; with the nodes that it
 * refers to, if any
 */
function describeValue(value, limit, named) {
  const DEPTH = 32;
  const TYPE_CHARS = 100;
  const NODES = 50;
  /** @type {Node[]} */
  const nodes = [];
  /** @type {object[]} */
  const path = [];
  let left = limit;
  let cut = false;

  /** @param {string} text */
  function put(text) {
    left -= text.length;
    return text;
  }

  /** @param {string} text */
  function quoted(text) {
    let shown = text;
    if (text.length > left) {
      cut = true;
      const kept = Math.max(left, 0);
      shown = `${text.slice(0, kept)}… [${text.length - kept} more characters]`;
    }
    return put(`"${shown.replace(/["\\\u0000-\u001f\u007f\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, escaped)}"`);
  }

  /** @param {string} char */
  function escaped(char) {
    if (char === '"' || char === "\\") return `\\${char}`;
    const code = char.charCodeAt(0);
    // A lone surrogate cannot be encoded as UTF-8.
    return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : `\\u${code.toString(16).padStart(4, "0")}`;
  }

  /** @param {unknown} it @returns {string} */
  function stringify(it) {
    switch (typeof it) {
      case "undefined": return put("null");
      case "boolean": return put(String(it));
      case "number": return Number.isFinite(it) && !Object.is(it, -0) ? put(String(it)) : quoted(Object.is(it, -0) ? "-0" : String(it));
      case "string": return quoted(it);
      case "bigint": return quoted(`${it}n`);
      case "symbol": return quoted(it.toString());
      case "function": return quoted(`[function ${name(it) || "anonymous"}]`);
      default: return it === null ? put("null") : stringifyObject(/** @type {object} */ (it));
    }
  }

  /** @param {any} it */
  function name(it) {
    try {
      return typeof it.name === "string" ? it.name : "";
    } catch {
      return "";
    }
  }

  /** @param {any} it @returns {string} */
  function stringifyObject(it) {
    if (path.includes(it)) return quoted("[circular]");
    if (path.length >= DEPTH) return quoted("[deeper]");
    if (left <= 0) {
      cut = true;
      return quoted("…");
    }
    path.push(it);
    try {
      return special(it) ?? members(it);
    } catch (error) {
      return quoted(`[not readable: ${name(error)}]`);
    } finally {
      path.pop();
    }
  }

  /** @param {any} it */
  function kind(it) {
    return Object.prototype.toString.call(it).slice(8, -1);
  }

  /** @param {any} it @returns {string | undefined} */
  function special(it) {
    if (Array.isArray(it)) return list(it);
    const what = kind(it);
    if (it instanceof Node) {
      nodes.push(it);
      return put(`{"kapture:node":${nodes.length - 1}}`);
    }
    if (it instanceof Error || what === "Error" || what === "DOMException") {
      return entries(["name", "message", "stack"].map((key) => [key, () => it[key]]));
    }
    if (it instanceof Date) return quoted(Number.isNaN(it.getTime()) ? "Invalid Date" : it.toISOString());
    if (it instanceof RegExp) return quoted(String(it));
    if (it instanceof Map) {
      const pairs = Array.from(it);
      return pairs.every(([key]) => typeof key === "string") ? entries(pairs.map(([key, held]) => [key, () => held])) : list(pairs);
    }
    if (it instanceof Set) return list(Array.from(it));
    if (it instanceof ArrayBuffer) return quoted(`[ArrayBuffer, ${it.byteLength} bytes]`);
    if (ArrayBuffer.isView(it) && !(it instanceof DataView)) return list(/** @type {any} */ (it));
    if (it instanceof Promise) return quoted("[Promise]");
    if (/^(WeakMap|WeakSet|WeakRef|Generator|AsyncGenerator|DataView)$/.test(what)) return quoted(`[${what}]`);
    if (/^(NodeList|HTMLCollection|HTMLOptionsCollection|DOMTokenList|FileList|DOMRectList|NamedNodeMap|StyleSheetList|Arguments)$/.test(what)) {
      return list(it);
    }
    if (it === it.window) return quoted("[Window]");
    if (it instanceof Number || it instanceof String || it instanceof Boolean) return stringify(it.valueOf());
    if (typeof it.toJSON === "function") {
      const plain = it.toJSON();
      return plain === it ? undefined : stringify(plain);
    }
    return undefined;
  }

  /** @param {ArrayLike<unknown>} items */
  function list(items) {
    const parts = [];
    for (let at = 0; at < items.length; at += 1) {
      if (left <= 0) {
        cut = true;
        parts.push(quoted(`… ${items.length - at} more`));
        break;
      }
      parts.push(stringify(items[at]));
      left -= 1;
    }
    return `[${parts.join(",")}]`;
  }

  /** @param {any} it */
  function members(it) {
    const keys = Object.keys(it);
    if (keys.length > 0 || kind(it) === "Object") return entries(keys.map((key) => [key, () => it[key]]));
    return entries(hostKeys(it).map((key) => [key, () => it[key]]));
  }

  /**
   * Keys of platform objects, whose properties are on prototypes: those with plain values.
   * @param {any} it
   */
  function hostKeys(it) {
    const keys = [];
    for (const key in it) {
      let held;
      try {
        held = it[key];
      } catch {
        continue;
      }
      if (held === null || /^(string|number|boolean)$/.test(typeof held)) keys.push(key);
    }
    return keys;
  }

  /** @param {[string, () => unknown][]} pairs keys, and getters of their values */
  function entries(pairs) {
    const parts = [];
    for (let at = 0; at < pairs.length; at += 1) {
      const [key, get] = pairs[at];
      if (left <= 0) {
        cut = true;
        parts.push(`"…":${quoted(`${pairs.length - at} more`)}`);
        break;
      }
      let held;
      try {
        held = get();
      } catch (error) {
        held = `[threw ${name(error)}]`;
      }
      if (held === undefined) continue;
      parts.push(`${quoted(key)}:${stringify(held)}`);
      left -= 2;
    }
    return `{${parts.join(",")}}`;
  }

  const type = named ?? (value === null ? "null" : typeof value === "object" ? kind(value) : typeof value);
  const json = stringify(value);
  const wasCut = cut;
  left = TYPE_CHARS;
  const text = `[${quoted(type)},${wasCut},${json}]`;
  return nodes.length === 0 ? text : [text, ...nodes.slice(0, NODES)];
}
