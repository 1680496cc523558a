// Has the agent ask every element that may be a form through `inherited` (dom/forms/inherited.js): its sources say `element.children`,
// the bundle `inherited(element).children`. An esbuild plugin.

import { parser } from "@lezer/javascript";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { FORM_PROPERTIES } from "./dom/forms/form_properties.js";

/** @typedef {import("@lezer/common").SyntaxNode} Node */

/** What no form is: these are used often. */
const NO_FORM = /^(this|super|document|window|[A-Z]\w*)$/;

/**
 * A module's source with those uses wrapped.
 * @param {string} source
 * @param {string} wrapper the name of the function around them
 */
export function asInherited(source, wrapper) {
  /** @type {[position: number, text: string][]} */
  const edits = [];
  /** @param {Node} node */
  const wrap = ({ from, to }) => void edits.push([from, `${wrapper}(`], [to, ")"]);
  /** @param {Node} node */
  const textOf = ({ from, to }) => source.slice(from, to);
  parser.parse(source).iterate({
    enter({ node }) {
      if (node.type.isError) throw new Error(`Not JavaScript at ${node.from}: ${source.slice(node.from, node.from + 40)}`);
      if (node.name === "MemberExpression") {
        const property = node.getChild("PropertyName");
        const object = node.firstChild;
        if (!property || !object || !FORM_PROPERTIES.has(textOf(property)) || NO_FORM.test(textOf(object))) return;
        wrap(object);
        // What is wrapped is no part of the chain any more that `?.` ends.
        const dot = node.getChild(".");
        if (dot && mayEndEarly(object)) edits.push([dot.from, "?"]);
      } else if (node.name === "VariableDeclaration") {
        for (const pattern of node.getChildren("ObjectPattern")) {
          const names = pattern.getChildren("PatternProperty").map((one) => textOf(one.firstChild ?? one));
          let value = pattern.nextSibling;
          while (value && /Equals|Comment/.test(value.name)) value = value.nextSibling;
          if (value && names.some((name) => FORM_PROPERTIES.has(name)) && !NO_FORM.test(textOf(value))) wrap(value);
        }
      }
    },
  });
  // Of two at one position the inner expression ends first, and the outer one begins first.
  let text = "";
  let end = 0;
  for (const [position, added] of edits.sort(([a], [b]) => a - b)) {
    text += source.slice(end, position) + added;
    end = position;
  }
  return text + source.slice(end);
}

/** Whether a chain of properties and calls has a `?.` in it. @param {Node} node @returns {boolean} */
function mayEndEarly(node) {
  if (node.name !== "MemberExpression" && node.name !== "CallExpression") return false;
  return node.getChild("?.") !== null || (node.firstChild !== null && mayEndEarly(node.firstChild));
}

/**
 * For esbuild: wraps the uses in the agent's own modules.
 * @param {string} folder the agent's
 * @returns {import("esbuild").Plugin}
 */
export function askingForms(folder) {
  const inherited = path.join(folder, "dom", "forms", "inherited.js");
  return {
    name: "forms",
    setup(build) {
      build.initialOptions.inject = [inherited];
      build.onLoad({ filter: /\.js$/ }, async ({ path: file }) =>
        file.startsWith(folder + path.sep) && file !== inherited
          ? { contents: asInherited(await readFile(file, "utf8"), "inherited"), loader: "js" }
          : undefined,
      );
    },
  };
}
