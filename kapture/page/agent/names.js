// Names and descriptions, by accname 1.2 and HTML-AAM, with Chromium's decisions where those leave room.

import { flatAncestors, flatChildren, referenced } from "./dom.js";
import { explicitRole, isFocusable, roleOf } from "./roles.js";
import { excluded, rendering } from "./visibility.js";
import { pseudoText, shownText } from "./generated.js";

/** @typedef {import("./reading.js").Reading} Reading */

/**
 * Where a computation stands: what has been gone through, and how it came here.
 * @typedef {object} Walk
 * @property {Reading} reading
 * @property {Set<Element>} visited
 * @property {boolean} labelling inside aria-labelledby or a label, which may not follow further references
 * @property {boolean} hidden inside a hidden element that a label refers to: what is hidden counts there
 * @property {boolean} within the element is part of another's name
 */

/** Roles that take their name from what they contain. */
const FROM_CONTENT = new Set(
  `button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio
  rowheader switch tab term tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle
  graphics-object`.split(/\s+/),
);

/** Roles that may not be named; a title describes them. */
const NAMELESS = new Set(
  `caption code definition deletion emphasis generic insertion mark none paragraph strong subscript suggestion
  superscript time`.split(/\s+/),
);

/**
 * @param {Element} element
 * @param {string} role
 * @param {Reading} reading
 */
function isNamedByContent(element, role, reading) {
  if (FROM_CONTENT.has(role)) return true;
  if (role === "math") return element.localName !== "math";
  if (role !== "row") return false;
  // A row's name repeats its cells; only rows that can be acted on are worth it.
  for (const ancestor of flatAncestors(element)) {
    const above = roleOf(ancestor, reading);
    if (above === "grid" || above === "treegrid") return true;
    if (above === "table") return false;
  }
  return false;
}

/**
 * The accessible name, white space collapsed.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string}
 */
export function nameOf(element, reading) {
  let name = reading.names.get(element);
  if (name === undefined) {
    const walk = { reading, visited: new Set(), labelling: false, hidden: false, within: false };
    reading.names.set(element, (name = collapse(textAlternative(element, walk))));
  }
  return name;
}

/**
 * The accessible description, where it says more than the name.
 * @param {Element} element
 * @param {Reading} reading
 * @returns {string}
 */
export function descriptionOf(element, reading) {
  const targets = referenced(element, "aria-describedby");
  if (targets.length > 0) return collapse(joined(targets, reading));
  const own = element.getAttribute("aria-description")?.trim();
  if (own) return collapse(own);
  const name = nameOf(element, reading);
  const native = nativeDescription(element, reading);
  return native !== name ? native : "";
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function nativeDescription(element, reading) {
  if (element instanceof SVGElement) {
    for (const child of element.children) if (child.localName === "desc") return collapse(child.textContent ?? "");
  }
  if (element.localName === "ruby") {
    const annotation = element.querySelector("rt");
    if (annotation) return collapse(annotation.textContent ?? "");
  }
  const title = element.getAttribute("title");
  return title ? collapse(title) : "";
}

/**
 * @param {Element[]} targets
 * @param {Reading} reading
 */
function joined(targets, reading) {
  const texts = targets.map((target) => {
    const hidden = rendering(target, reading) !== "shown" || excluded(target, reading);
    return textAlternative(target, { reading, visited: new Set(), labelling: true, hidden, within: true });
  });
  return texts.filter((text) => text.trim()).join(" ");
}

/**
 * @param {Element} element
 * @param {Walk} walk
 * @returns {string}
 */
function textAlternative(element, walk) {
  const { reading } = walk;
  if (!walk.labelling && !walk.within) {
    const labels = referenced(element, "aria-labelledby");
    if (labels.length > 0) {
      const texts = labels.map((label) => {
        const hidden = rendering(label, reading) !== "shown" || excluded(label, reading);
        return textAlternative(label, { reading, visited: new Set(), labelling: true, hidden, within: true });
      });
      const text = texts.filter((part) => part.trim()).join(" ");
      if (text) return text;
    }
  }
  if (walk.visited.has(element)) return "";
  walk.visited.add(element);

  if (walk.within) {
    const value = embeddedValue(element, walk);
    if (value !== undefined) return value;
  }
  const label = element.getAttribute("aria-label");
  if (label?.trim()) return label;

  const role = roleOf(element, reading);
  const native = nativeName(element, role, walk);
  if (native.trim()) return native;

  if (walk.within || isNamedByContent(element, role, reading)) {
    const text = contentText(element, walk);
    if (text.trim()) return text;
  }
  if (role === "textbox" || role === "searchbox") {
    const hint = element.getAttribute("title") || element.getAttribute("aria-placeholder");
    if (hint) return hint;
  }
  if (!walk.within && NAMELESS.has(role) && !isFocusable(element)) return "";
  return silencesTitle(element) ? "" : (element.getAttribute("title") ?? "");
}

/**
 * An empty alt says that there is nothing to name.
 * @param {Element} element
 */
function silencesTitle(element) {
  return element.localName === "img" && element.getAttribute("alt") === "";
}

/**
 * What a control inside another element's name adds to it: its value.
 * @param {Element} element
 * @param {Walk} walk
 * @returns {string | undefined}
 */
function embeddedValue(element, walk) {
  const role = roleOf(element, walk.reading);
  switch (role) {
    case "textbox":
    case "searchbox":
      return textValue(element, walk);
    case "combobox":
    case "listbox":
      return chosen(element, walk);
    case "slider":
    case "spinbutton":
    case "scrollbar":
    case "progressbar":
    case "meter":
      if (walk.labelling && element.hasAttribute("aria-label")) return undefined;
      return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? rangeValue(element);
    default:
      return undefined;
  }
}

/**
 * @param {Element} element
 * @param {Walk} walk
 */
function textValue(element, walk) {
  if (element instanceof HTMLInputElement) return element.type === "password" ? "" : element.value;
  if (element instanceof HTMLTextAreaElement) return element.value;
  return contentText(element, walk);
}

/**
 * @param {Element} element
 * @param {Walk} walk
 */
function chosen(element, walk) {
  if (element instanceof HTMLSelectElement)
    return Array.from(element.selectedOptions, (option) => contentText(option, walk).trim()).join(" ");
  if (element instanceof HTMLInputElement) return element.value;
  const options = Array.from(element.querySelectorAll('[role="option"][aria-selected="true"]'));
  if (options.length > 0) return options.map((option) => textAlternative(option, walk).trim()).join(" ");
  return roleOf(element, walk.reading) === "combobox" ? contentText(element, walk) : "";
}

/** @param {Element} element */
function rangeValue(element) {
  if (element instanceof HTMLInputElement) return element.value;
  if (element instanceof HTMLProgressElement || element instanceof HTMLMeterElement)
    return element.hasAttribute("value") ? String(element.value) : "";
  return "";
}

/**
 * The name that the host language gives.
 * @param {Element} element
 * @param {string} role
 * @param {Walk} walk
 * @returns {string}
 */
function nativeName(element, role, walk) {
  const explicit = explicitRole(element);
  if (explicit === "none" && role === "none") return "";
  switch (element.localName) {
    case "img":
    case "area":
      return element.getAttribute("alt") ?? "";
    case "input":
      return inputName(/** @type {HTMLInputElement} */ (element), walk);
    case "textarea":
      return fieldName(/** @type {HTMLTextAreaElement} */ (element), walk);
    case "select":
    case "button":
    case "meter":
    case "progress":
    case "output":
      return labelText(element, walk);
    case "fieldset":
      return childText(element, "legend", walk);
    case "table":
      return role === "none" ? "" : childText(element, "caption", walk) || (element.getAttribute("summary") ?? "");
    case "optgroup":
      return element.getAttribute("label") ?? "";
    case "option":
      return element.getAttribute("label") ?? "";
    case "abbr":
      return walk.within ? "" : (element.getAttribute("title") ?? "");
    case "html":
      return document.title;
    default:
      return element instanceof SVGElement ? svgTitle(element, walk) : "";
  }
}

/**
 * @param {HTMLInputElement} input
 * @param {Walk} walk
 */
function inputName(input, walk) {
  switch (input.type) {
    case "submit":
      return labelText(input, walk) || (input.hasAttribute("value") ? input.value : "Submit");
    case "reset":
      return labelText(input, walk) || (input.hasAttribute("value") ? input.value : "Reset");
    case "button":
      return labelText(input, walk) || input.value;
    case "image":
      return (
        labelText(input, walk) || input.getAttribute("alt") || input.getAttribute("value") || input.title || "Submit"
      );
    case "file":
      return labelText(input, walk) || input.title || (input.multiple ? "Choose Files" : "Choose File");
    case "hidden":
      return "";
    default:
      return fieldName(input, walk);
  }
}

/**
 * A field's labels; without any the tooltip, or else what stands in the field while it is empty. Chromium lets an
 * empty label silence the placeholder.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {Walk} walk
 */
function fieldName(field, walk) {
  const label = labelText(field, walk);
  if (label) return label;
  if (field.title.trim()) return field.title;
  if (field.labels && field.labels.length > 0) return "";
  return field.placeholder || field.getAttribute("aria-placeholder") || "";
}

/**
 * Text of the element's labels, in document order.
 * @param {Element} element
 * @param {Walk} walk
 */
function labelText(element, walk) {
  const labels = /** @type {HTMLInputElement} */ (element).labels;
  if (!labels || labels.length === 0) return "";
  const texts = Array.from(labels, (label) => {
    if (walk.visited.has(label) || excluded(label, walk.reading)) return "";
    return textAlternative(label, { ...walk, within: true, labelling: true, visited: new Set([...walk.visited, element]) });
  });
  return texts.filter((text) => text.trim()).join(" ");
}

/**
 * @param {Element} element
 * @param {string} tag
 * @param {Walk} walk
 */
function childText(element, tag, walk) {
  for (const child of element.children)
    if (child.localName === tag && rendering(child, walk.reading) === "shown")
      return textAlternative(child, { ...walk, within: true });
  return "";
}

/**
 * @param {Element} element
 * @param {Walk} walk
 */
function svgTitle(element, walk) {
  for (const child of element.children) if (child.localName === "title") return child.textContent ?? "";
  if (element.localName === "a" && !walk.within) return element.getAttribute("xlink:title") ?? "";
  return "";
}

/**
 * The text that an element shows, white space collapsed.
 * @param {Element} element
 * @param {Reading} reading
 */
export function contentOf(element, reading) {
  return collapse(contentText(element, { reading, visited: new Set([element]), labelling: true, hidden: false, within: true }));
}

/**
 * Text of all that the element contains, generated text included.
 * @param {Element} element
 * @param {Walk} walk
 * @returns {string}
 */
function contentText(element, walk) {
  const { reading } = walk;
  let text = pseudoText(element, "::before", reading);
  const children = flatChildren(element);
  for (let at = 0; at < children.length; at += 1) text += part(children[at], element, walk);
  for (const owned of referenced(element, "aria-owns")) text += spaced(owned, walk);
  return text + pseudoText(element, "::after", reading);
}

/**
 * @param {Node} node
 * @param {Element} parent
 * @param {Walk} walk
 */
function part(node, parent, walk) {
  if (node.nodeType === Node.TEXT_NODE) {
    const { data } = /** @type {Text} */ (node);
    return walk.hidden || data.trim() === "" ? data : shownText(data, parent, walk.reading);
  }
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const child = /** @type {Element} */ (node);
  const owner = walk.reading.ownerOf(child);
  if (owner && owner !== parent) return "";
  if (roleOf(parent, walk.reading) === "treeitem" && roleOf(child, walk.reading) === "group") return "";
  return spaced(child, walk);
}

const SILENT = new Set(["script", "style", "noscript", "template", "head", "title", "datalist", "rp", "rt"]);

/**
 * A child's part of a name, set apart from what stands beside it unless it flows in the same line.
 * @param {Element} child
 * @param {Walk} walk
 */
function spaced(child, walk) {
  const { reading } = walk;
  if (SILENT.has(child.localName) && !(child instanceof SVGElement)) return "";
  if (child.localName === "br" || child.localName === "wbr") return " ";
  if (!walk.hidden) {
    if (excluded(child, reading) || rendering(child, reading) === "none") return "";
  }
  const text = textAlternative(child, { ...walk, within: true });
  const display = reading.style(child).display;
  return display === "inline" || display === "contents" ? text : ` ${text} `;
}

/** @param {string} text */
export function collapse(text) {
  return text.replace(/\s+/g, " ").trim();
}

