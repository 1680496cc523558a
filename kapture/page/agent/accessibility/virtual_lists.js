// Lists that keep only what is near their scroll position on the page, and make the rest as it is scrolled to.

/** @typedef {import("../dom/reading.js").Reading} Reading */

/** Such a list scrolls through at least this many times its own height. */
const LEAST_HEIGHTS = 3;

/** Lower boxes show no list. CSS pixels. */
const LEAST_HEIGHT = 40;

/** What holds more than this is all there. */
const MOST_PARTS = 2000;

const DRAWN = "button, canvas, iframe, img, input, select, svg, textarea, video";

/**
 * Whether what an element scrolls through is only partly on the page.
 * @param {Element} element
 * @param {Reading} reading
 */
export function isVirtualList(element, reading) {
  if (element.childElementCount === 0) return false;
  const { overflowY } = reading.style(element);
  if (overflowY !== "auto" && overflowY !== "scroll") return false;
  if (element === document.body || element === document.documentElement) return false;
  const { clientHeight, scrollHeight } = element;
  return clientHeight >= LEAST_HEIGHT && scrollHeight >= LEAST_HEIGHTS * clientHeight && hasGap(element);
}

/**
 * Whether there is nothing before and after what a list holds, for longer than the box shows.
 * @param {Element} list
 */
function hasGap(list) {
  const range = document.createRange();
  const walker = document.createTreeWalker(list, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let top = Infinity;
  let bottom = -Infinity;
  let parts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Element ? !node.matches(DRAWN) : (node.nodeValue ?? "").trim() === "") continue;
    parts += 1;
    if (parts > MOST_PARTS) return false;
    range.selectNode(node);
    const box = range.getBoundingClientRect();
    if (box.height === 0) continue;
    top = Math.min(top, box.top);
    bottom = Math.max(bottom, box.bottom);
  }
  // Not by scroll positions: those of a column that is shown in reverse, as many chats are, begin at its end.
  return bottom > top && list.scrollHeight - (bottom - top) > list.clientHeight;
}
