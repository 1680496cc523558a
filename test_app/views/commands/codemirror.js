/**
 * CodeMirror set up for JSON of a schema: completes names and values, marks what does not fit.
 */

import {
  EditorState,
  EditorView,
  HighlightStyle,
  autocompletion,
  bracketMatching,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  history,
  historyKeymap,
  indentOnInput,
  json,
  keymap,
  lintKeymap,
  linter,
  syntaxHighlighting,
  syntaxTree,
  tags,
} from "../../vendor/codemirror.js";
import { nameSuggestions, problemsIn, valueSuggestions } from "../../model/schema_help.js";

/** @typedef {import("../../vendor/codemirror.js").CompletionContext} CompletionContext */
/** @typedef {import("../../vendor/codemirror.js").Diagnostic} Diagnostic */
/**
 * @typedef {object} Options
 * @property {HTMLElement} parent
 * @property {ShadowRoot} root
 * @property {string} text
 * @property {string} label
 * @property {() => Record<string, any>} schema
 * @property {(text: string) => void} onChange
 * @property {() => void} onSubmit
 */
/** @typedef {ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]>} Node */

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--syntax-key)" },
  { tag: tags.string, color: "var(--syntax-string)" },
  { tag: tags.number, color: "var(--syntax-number)" },
  { tag: [tags.bool, tags.null], color: "var(--syntax-keyword)" },
]);
const THEME = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", backgroundColor: "var(--ground)", color: "var(--text)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { padding: "8px 6px", caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selected)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)" },
  ".cm-tooltip": { border: "1px solid var(--line)", borderRadius: "6px", backgroundColor: "var(--ground)", color: "var(--text)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--selected)", color: "var(--text)" },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal" },
  ".cm-diagnostic": { padding: "4px 8px", borderLeftColor: "var(--bad)" },
});

/** Make an editor in an element. @param {Options} options */
export function makeEditor({ parent, root, text, label, schema, onChange, onSubmit }) {
  const submit = { key: "Mod-Enter", run: () => (onSubmit(), true) };
  const state = EditorState.create({
    doc: text,
    extensions: [
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ override: [(context) => complete(context, schema())], icons: false }),
      linter((view) => lint(view.state, schema()), { delay: 250 }),
      keymap.of([submit, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
      json(),
      syntaxHighlighting(COLOURS),
      THEME,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
    ],
  });
  return new EditorView({ state, parent, root });
}

/**
 * @param {CompletionContext} context
 * @param {Record<string, any>} schema
 */
function complete(context, schema) {
  const { state, pos } = context;
  const node = syntaxTree(state).resolveInner(pos, -1);
  const word = context.matchBefore(/["\w-]*/);
  const from = node.name === "PropertyName" || node.name === "String" ? node.from : (word?.from ?? pos);
  const to = node.name === "PropertyName" || node.name === "String" ? node.to : pos;
  if (from === pos && !context.explicit) return null;
  const property = enclosing(node, "Property");
  const colon = property && state.sliceDoc(property.from, from).includes(":");
  const inArray = enclosing(node, "Array") && (!property || (enclosing(node, "Array")?.from ?? 0) > property.from);
  if (colon || inArray) {
    const path = pathOf(state, node, from);
    const options = valueSuggestions(schema, path).map(({ label, insert, detail }) => ({ label, apply: insert, detail }));
    return { from, to, options, filter: true };
  }
  const object = enclosing(node, "Object") ?? syntaxTree(state).topNode;
  const path = pathOf(state, object, object.from);
  const present = namesIn(state, object).filter((name) => name !== nameAt(state, node));
  const options = nameSuggestions(schema, path, present).map(({ label, insert, detail, required }) => ({
    label: `"${label}"`,
    displayLabel: label,
    apply: node.name === "PropertyName" && colonAfter(state, node) ? JSON.stringify(label) : insert,
    detail,
    boost: required ? 1 : 0,
  }));
  return { from, to, options, filter: true };
}

/**
 * @param {EditorState} state
 * @param {Record<string, any>} schema
 * @returns {Diagnostic[]}
 */
function lint(state, schema) {
  const text = state.doc.toString();
  if (!text.trim()) return [];
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const at = Math.min(text.length, Number(/position (\d+)/.exec(message)?.[1] ?? 0));
    return [{ from: Math.max(0, at - 1), to: at, severity: "error", message }];
  }
  return problemsIn(schema, value).map(({ path, message }) => ({ ...placeOf(state, path), severity: "error", message }));
}

/**
 * The position of the value at a path, or of its innermost existing ancestor.
 * @param {EditorState} state
 * @param {readonly string[]} path
 */
function placeOf(state, path) {
  /** @type {Node | null} */
  let at = syntaxTree(state).topNode.firstChild;
  for (const key of path) {
    const inside = at && childAt(state, at, key);
    if (!inside) break;
    at = inside;
  }
  return at ? { from: at.from, to: Math.min(at.to, at.from + 200) } : { from: 0, to: 0 };
}

/**
 * @param {EditorState} state
 * @param {Node} node
 * @param {string} key
 * @returns {Node | null}
 */
function childAt(state, node, key) {
  if (node.name === "Array") {
    const values = node.getChildren("Value").length ? node.getChildren("Value") : children(node).filter(({ name }) => !"[],⚠".includes(name));
    return values[Number(key)] ?? null;
  }
  const property = node.getChildren("Property").find((one) => nameAt(state, one.firstChild) === key);
  return property?.lastChild ?? null;
}

/** @param {Node} node @returns {Node[]} */
function children(node) {
  const found = [];
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child);
  return found;
}

/**
 * The keys that lead to a place.
 * @param {EditorState} state
 * @param {Node} node
 * @param {number} before where the place begins
 */
function pathOf(state, node, before) {
  /** @type {string[]} */
  const path = [];
  for (let at = /** @type {Node | null} */ (node); at; at = at.parent) {
    if (at.name === "Property" && at.firstChild && at.firstChild.to <= before) path.unshift(nameAt(state, at.firstChild));
    if (at.name === "Array" && at.from < before) path.unshift(String(children(at).filter(({ name, to }) => !"[],⚠".includes(name) && to <= before).length));
  }
  return path;
}

/**
 * @param {Node} node
 * @param {string} name
 * @returns {Node | null}
 */
function enclosing(node, name) {
  let at = /** @type {Node | null} */ (node);
  while (at && at.name !== name) at = at.parent;
  return at;
}

/**
 * @param {EditorState} state
 * @param {Node} object
 */
function namesIn(state, object) {
  return object.getChildren("Property").map((property) => nameAt(state, property.firstChild));
}

/**
 * @param {EditorState} state
 * @param {Node | null} node
 */
function nameAt(state, node) {
  if (node?.name !== "PropertyName") return "";
  const text = state.sliceDoc(node.from, node.to);
  return text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text.slice(1);
}

/**
 * @param {EditorState} state
 * @param {Node} node
 */
function colonAfter(state, node) {
  return /^\s*:/.test(state.sliceDoc(node.to, node.to + 20));
}
