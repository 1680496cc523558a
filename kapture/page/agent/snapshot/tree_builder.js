// Builds the accessibility tree of this document, or of a part of it.

import { assignedNodes, firstChild } from "../dom/flat_tree.js";
import { owners } from "../dom/ownership.js";
import { referenced } from "../dom/references.js";
import { refOf } from "../dom/refs.js";
import { controlsIn, hidesItself, isShownAllTheSame, rendering, showsText } from "../dom/rendering.js";
import { isBlank } from "../dom/text/text.js";
import { transformedText, wholeText } from "../dom/text/text_transform.js";
import { unreadable } from "../dom/unreadable.js";
import { inert, isExposed, modalDialog } from "../dom/visibility.js";
import { INTERACTIVE, SVG } from "../accessibility/roles/aria.js";
import { cellsListenedTo, clickSign, drawsToggle, isControl, isHiddenControl, isPressable, isPressedAsWhole, listensForItems, onlyControl, partsOf, solePart } from "./clickable.js";
import { isDraggable } from "../accessibility/draggable.js";
import { drawnLines } from "../accessibility/drawn_text.js";
import { generatedText } from "../accessibility/names/placeholders.js";
import { hasWordsOfItsOwn } from "./own_words.js";
import { roleOf } from "../accessibility/roles/roles.js";
import { nodeOf, View } from "./snapshot_node.js";
import { append, BREAK, saysNothing } from "./snapshot_text.js";
import { forwardsClicks, isEmptyWrapper, isNamedGeneric, isRedundantLabel } from "./wrappers.js";
import { isVirtualList } from "../accessibility/virtual_lists.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {import("./snapshot_text.js").Child} Child */
/** @typedef {import("./snapshot_text.js").TreeNode} TreeNode */

/** Elements of which only name and value are included: their contents are not shown, or are their name. */
const LEAVES = new Set(
  "audio embed frame geolocation iframe img input meter object option progress textarea video".split(" "),
);

const SKIPPED = new Set("area head noscript param rp rt script source style template title track".split(" "));

/** Parts of SVG that are not drawn in place. */
const UNDRAWN = new Set(
  `clipPath defs desc filter linearGradient marker mask metadata pattern radialGradient script style symbol
  title`.split(/\s+/),
);

/** Deeper nodes are flattened: JSON parsers limit nesting. */
const MOST_LEVELS = 100;

export class TreeBuilder {
  /** @param {Reading} reading */
  constructor(reading) {
    this.reading = reading;
    this.depth = 0;
    /** Whether something that is drawn was left out because of aria-hidden, inert or a modal dialog. */
    this.excluding = false;
    /** How many drawn controls were left out because of aria-hidden or inert. */
    this.leftOut = 0;
    this.owners = owners(reading);
    /** Owned elements that have been added. @type {Set<Element>} */
    this.reached = new Set();
    /** Children of elements that listen to clicks for them. @type {Set<Element>} */
    this.items = new Set();
    this.view = new View(reading);
  }

  /**
   * @param {Element} top
   * @returns {TreeNode}
   */
  build(top) {
    const modal = modalDialog(this.reading);
    /** @type {Child[]} */
    const children = [];
    if (modal && top === document.documentElement) {
      this.excluding = true;
      this.element(modal, false, children);
    }
    else if (isExposed(top, this.reading) || rendering(top, this.reading) === "invisible") this.contents(top, false, children);
    if (top === document.documentElement) {
      this.unreached(children);
      append(children, unreadable() ?? "");
    }
    const role = roleOf(top, this.reading);
    return nodeOf(top, role, children, false, this.view);
  }

  /**
   * For an element that is not shown, add what it owns elsewhere in the document.
   * @param {Element} element
   * @param {Child[]} into
   */
  ownedWithin(element, into) {
    for (const [owned, owner] of this.owners)
      if (element.contains(owner) && !element.contains(owned)) this.element(owned, false, into);
  }

  /**
   * Add elements owned by something whose children are not shown: aria-owns must not hide anything on the page.
   * @param {Child[]} into
   */
  unreached(into) {
    for (const owned of this.owners.keys())
      if (!this.reached.has(owned) && isExposed(owned, this.reading)) this.element(owned, false, into);
  }

  /**
   * Add an element's nodes to its parent's children.
   * @param {Element} element
   * @param {boolean} clickable whether an ancestor already has the pointer cursor of a clickable element
   * @param {Child[]} into
   */
  element(element, clickable, into) {
    const { reading } = this;
    if (this.owners.has(element)) this.reached.add(element);
    if ((element.namespaceURI === SVG ? UNDRAWN : SKIPPED).has(element.localName)) return;
    // The button of a customizable select is inert: pressing it opens the select, which has its value.
    if (element.localName === "button" && element.parentElement instanceof HTMLSelectElement) return;
    if (element.localName === "br") {
      append(into, " ");
      return;
    }
    if (element.hasAttributes() && hidesItself(element)) {
      this.excluding ||= element.childElementCount > 0;
      this.leftOut += controlsIn(element).length;
      if (isHiddenControl(element, reading)) into.push(nodeOf(element, "generic", [], true, this.view));
      return;
    }
    const shown = rendering(element, reading);
    const inactive = element.hasAttribute("inert") || (this.owners.has(element) && inert(element, reading));
    if (shown === "none" || inactive) {
      this.excluding ||= inactive;
      if (inactive && shown !== "none") this.leftOut += controlsIn(element).length;
      this.ownedWithin(element, into);
      return;
    }
    if (element.hasAttributes() && isShownAllTheSame(element)) append(into, "[aria-hidden]");
    const role = roleOf(element, reading);
    const item = this.items.delete(element);
    const cells = cellsListenedTo(element, reading);
    for (const cell of cells) this.items.add(cell);
    const forItems = cells.length === 0 && listensForItems(element, clickable, item, reading);
    const forOthers = forItems || cells.length > 0;
    if (forItems) for (const child of element.children) this.items.add(child);
    if (shown === "invisible") {
      this.contents(element, clickable, into);
      return;
    }
    const sign = clickSign(element, role, clickable, item, reading);
    const plain = (role === "generic" || role === "none") && !this.standsForItself(element, role);
    if (plain && !sign) {
      const start = into.length;
      this.contents(element, clickable, into);
      this.setApart(element, start, into);
      return;
    }
    this.significant(element, { role, plain, sign, clickable, forOthers }, into);
  }

  /**
   * Add the node of an element that has a meaning of its own or may be clicked; only its contents if that turns out to be
   * meant of something in it.
   *
   * `plain`: the role alone says nothing. `forOthers`: it listens for the items or cells in it, each by itself. `clickable`: as
   * in `element`.
   * @param {Element} element
   * @param {{role: string, plain: boolean, sign: ReturnType<typeof clickSign>, clickable: boolean, forOthers: boolean}} found
   * @param {Child[]} into
   */
  significant(element, { role, plain, sign, clickable, forOthers }, into) {
    /** @type {Child[]} */
    let children = [];
    this.depth += 1;
    if (!LEAVES.has(element.localName)) this.contents(element, clickable || sign === "sure" || isControl(role), children);
    else if (element instanceof HTMLImageElement && element.useMap) this.areas(element, children);
    this.depth -= 1;
    children = partsOf(role, children);
    const part = solePart(children);
    if (part && INTERACTIVE.has(role)) children = part.children ?? [];
    const control = plain || role === "listitem" ? onlyControl(children) : undefined;
    if (control && sign) children = [control];
    const alone = control !== undefined || (plain && !isPressable(element, children));
    const pressed = isPressedAsWhole(element, children) || (!forOthers && hasWordsOfItsOwn(element, role, children));
    const acts = sign !== undefined && !part && !alone && (sign === "sure" || pressed);
    if (plain && !acts) {
      const start = into.length;
      for (const child of children) into.push(child);
      this.setApart(element, start, into);
      return;
    }
    if ((acts ? plain && drawsToggle(element) : isEmptyWrapper(element)) && saysNothing(children)) return;
    if (element instanceof HTMLInputElement && element.list && role === "combobox") children = suggested(element.list);
    if (role === "textbox" && children.length === 0) children = drawnLines(element)?.flatMap((line) => [line, BREAK]) ?? [];
    const deep = this.depth >= MOST_LEVELS;
    const node = nodeOf(element, role, deep ? children.filter((child) => typeof child === "string") : children, acts, this.view);
    into.push(node);
    if (deep) for (const child of children) if (typeof child !== "string") into.push(child);
  }

  /**
   * Whether a generic element has a node of its own though nobody clicks it.
   * @param {Element} element
   * @param {string} role
   */
  standsForItself(element, role) {
    const { reading } = this;
    if (isNamedGeneric(element, role) || isVirtualList(element, reading)) return true;
    return role === "generic" && isDraggable(element, reading);
  }

  /**
   * Separate the text of a block that has no node of its own from the text next to it.
   * @param {Element} element
   * @param {number} start where its children begin
   * @param {Child[]} into
   */
  setApart(element, start, into) {
    // How the element flows matters only next to text.
    const before = start > 0 && into.length > start && typeof into[start] === "string" && typeof into[start - 1] === "string";
    const after = into.length > start && typeof into[into.length - 1] === "string";
    if ((!before && !after) || this.isInline(element)) return;
    if (after) into.push(BREAK);
    if (before) into.splice(start, 0, BREAK);
  }

  /** @param {Element} element */
  isInline(element) {
    const { display } = this.reading.style(element);
    return display === "inline" || display === "contents";
  }

  /**
   * @param {string} data
   * @param {Element} parent
   * @param {Child[]} into
   */
  text(data, parent, into) {
    if (!isBlank(data)) append(into, transformedText(data, parent, this.reading));
    else if (data !== "" && typeof into[into.length - 1] === "string") into.push(" ");
  }

  /**
   * @param {Element} element
   * @param {boolean} clickable
   * @param {Child[]} into
   */
  contents(element, clickable, into) {
    const { reading } = this;
    clickable ||= forwardsClicks(element, reading);
    const textShown = showsText(element, reading) && !isRedundantLabel(element, reading);
    if (textShown) append(into, generatedText(element, "::before", reading));
    const words = wholeText(element, reading);
    const assigned = words === undefined ? assignedNodes(element) : undefined;
    if (words !== undefined) {
      if (textShown) this.text(words, element, into);
    } else if (assigned) for (const child of assigned) this.child(child, element, textShown, clickable, into);
    else
      for (let child = firstChild(element); child; child = child.nextSibling)
        this.child(child, element, textShown, clickable, into);
    if (this.owners.size > 0)
      for (const owned of referenced(element, "aria-owns"))
        if (this.owners.get(owned) === element) this.element(owned, clickable, into);
    if (textShown) append(into, generatedText(element, "::after", reading));
  }

  /**
   * @param {Node} child
   * @param {Element} parent in the flat tree
   * @param {boolean} textShown whether text directly in the parent is included
   * @param {boolean} clickable
   * @param {Child[]} into
   */
  child(child, parent, textShown, clickable, into) {
    if (child.nodeType === Node.TEXT_NODE) {
      if (textShown) this.text(/** @type {Text} */ (child).data, parent, into);
    } else if (child.nodeType === Node.ELEMENT_NODE) {
      const element = /** @type {Element} */ (child);
      // What is owned follows its owner's other children, in the owner's order.
      if (this.owners.size === 0 || !this.owners.has(element)) this.element(element, clickable, into);
    }
  }

  /**
   * The links of an image map belong to the image that uses it.
   * @param {HTMLImageElement} image
   * @param {Child[]} into
   */
  areas(image, into) {
    const root = /** @type {Document | ShadowRoot} */ (image.getRootNode());
    const map = root.querySelector(`map[name="${CSS.escape(image.useMap.replace(/^#/, ""))}"]`);
    for (const area of map?.querySelectorAll("area[href]") ?? []) into.push(nodeOf(area, roleOf(area, this.reading), [], false, this.view));
  }
}

/** How many of a field's suggestions are listed. */
const MOST_SUGGESTED = 500;

/**
 * The suggestions of a field, by its type: people see it only while they type.
 * @param {HTMLDataListElement} list
 * @returns {TreeNode[]}
 */
function suggested(list) {
  const options = Array.from(list.options).filter(({ value, disabled }) => value !== "" && !disabled).slice(0, MOST_SUGGESTED);
  return options.map((option) => ({ role: "option", name: option.value, ref: refOf(option, "option", option.value) }));
}
