// HTML that is pasted, as a browser lets it into a page: without code, and here also without what would ask another site
// for something, because its words are the client's.

/** Elements that hold no text for a reader: left out with all that is in them. */
const DROPPED = new Set([
  "applet", "audio", "base", "canvas", "embed", "frame", "frameset", "head", "iframe", "link", "math", "meta", "noembed",
  "noframes", "noscript", "object", "param", "script", "select", "source", "style", "svg", "template", "textarea", "title",
  "track", "video", "xmp",
]);

/** Elements that are kept; of others, the contents. */
const KEPT = new Set([
  "a", "abbr", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption", "center", "cite", "code", "col",
  "colgroup", "dd", "del", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4",
  "h5", "h6", "header", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp",
  "section", "small", "span", "strike", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr",
  "tt", "u", "ul", "var", "wbr",
]);

const ATTRIBUTES = new Set([
  "align", "alt", "class", "color", "colspan", "datetime", "dir", "face", "height", "lang", "reversed", "rowspan", "size",
  "start", "title", "type", "valign", "value", "width",
]);

/** In a style: what names an address, or could be spelled so that it does. */
const NAMES_ADDRESS = /url|image|src|[\\@]/i;

const LINKS = new Set(["http:", "https:", "mailto:", "tel:"]);

/**
 * The same HTML without code and without addresses of other sites, but for links that somebody would have to follow.
 * @param {string} html
 */
export function harmless(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const walker = parsed.createTreeWalker(parsed.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
    if (!(node instanceof Element) || KEPT.has(node.localName)) return NodeFilter.FILTER_ACCEPT;
    return DROPPED.has(node.localName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  });
  const box = parsed.createElement("div");
  copyChildren(walker, box);
  return box.innerHTML;
}

/**
 * @param {TreeWalker} walker at the element whose children are copied
 * @param {Element} to
 */
function copyChildren(walker, to) {
  const at = walker.currentNode;
  for (let node = walker.firstChild(); node; node = walker.nextSibling()) {
    if (!(node instanceof Element)) {
      to.append(node.nodeValue ?? "");
      continue;
    }
    const copy = to.ownerDocument.createElement(node.localName);
    for (const { name, value } of node.attributes) {
      if (isKept(node.localName, name, value)) copy.setAttribute(name, value);
    }
    to.append(copy);
    copyChildren(walker, copy);
  }
  walker.currentNode = at;
}

/**
 * @param {string} element
 * @param {string} attribute
 * @param {string} value
 */
function isKept(element, attribute, value) {
  if (attribute === "style") return !NAMES_ADDRESS.test(value);
  if (element === "a" && attribute === "href") return LINKS.has(addressOf(value)?.protocol ?? "");
  if (element === "img" && attribute === "src") {
    const address = addressOf(value);
    return address?.origin === location.origin || address?.protocol === "data:";
  }
  return ATTRIBUTES.has(attribute);
}

/** @param {string} text */
function addressOf(text) {
  try {
    return new URL(text, document.baseURI);
  } catch {
    return null;
  }
}
