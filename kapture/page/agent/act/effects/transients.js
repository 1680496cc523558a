// Messages that appear and disappear during an action, and that a snapshot taken afterwards does not show.

import { flatAncestors, flatClosest } from "../../dom/flat_tree.js";
import { Reading } from "../../dom/reading.js";
import { textOf } from "../../dom/text/rendered_text.js";
import { collapse } from "../../dom/text/text.js";
import { isExposed } from "../../dom/visibility.js";
import { state } from "../../state.js";

const LIVE = "[role=alert], [role=status], [role=log], [aria-live=polite], [aria-live=assertive], output";

/** Only elements that may float above the page are checked for their style. */
const FLOATING_HINT = "body > *, [class*=toast i], [class*=snack i], [class*=notif i], [class*=message i], [popover], dialog";

/** Something to choose from, or to fill in, and no message. */
const POPUPS = "[role=listbox], [role=menu], [role=tree], [role=grid], [role=option], [role=menuitem], table, li ~ li, input:not([type=hidden]), select, textarea";

/** Longer texts are parts of the page that are rebuilt, not messages. */
const LONGEST = 300;

/** The limits of texts that are looked at during an action, and of messages. */
const MOST_LOOKS = 500;
const MOST_MESSAGES = 10;

/** Forget the messages so far, and note what is shown already. @param {(Document | ShadowRoot)[]} scopes */
export function watchMessages(scopes) {
  const reading = new Reading();
  const shown = scopes.flatMap((scope) => Array.from(scope.querySelectorAll(`${LIVE}, ${FLOATING_HINT}`)));
  const standing = shown.filter((one) => one.matches(LIVE) || (isFloating(one, reading) && isExposed(one, reading)));
  state.messages = { before: new Set(standing.map((one) => collapse(textOf(one, reading)))), seen: new Map(), removed: new Set(), looks: 0 };
}

/** @param {MutationRecord[]} records */
export function noteMessages(records) {
  const { messages } = state;
  if (!messages || messages.looks > MOST_LOOKS) return;
  const reading = new Reading();
  for (const { type, target, addedNodes, removedNodes } of records) {
    for (const node of removedNodes) if (messages.removed.size < MOST_LOOKS) messages.removed.add(collapse(node.textContent ?? ""));
    const around = target instanceof Element ? target : target.parentElement;
    if (!around) continue;
    const region = flatClosest(around, LIVE);
    if (region) look(region, reading);
    else if (type === "attributes" && isFloating(around, reading)) look(around, reading);
    for (const node of addedNodes) {
      if (node instanceof Element && (isAnnounced(node, reading) || !messages.removed.has(collapse(node.textContent ?? "")))) look(node, reading);
      else if (node instanceof Text && !region) look(around, reading, node.data);
    }
  }
}

/**
 * Remember what an element says now, if that may be a message.
 * @param {Element} element
 * @param {Reading} reading
 * @param {string} [added] the text that was added, if not all of it
 */
function look(element, reading, added) {
  const { messages } = state;
  if (!messages || ++messages.looks > MOST_LOOKS || !element.isConnected || !isExposed(element, reading)) return;
  if (element.matches(POPUPS) || element.querySelector(POPUPS)) return;
  const text = collapse(added ?? textOf(element, reading));
  if (/\p{L}/u.test(text) && text.length <= LONGEST && !messages.before.has(text)) messages.seen.set(text, element);
}

/** Messages that are not shown any more, in the order in which they appeared: of each element the last one. @returns {string[]} */
export function goneMessages() {
  const reading = new Reading();
  const last = new Map(Array.from(state.messages?.seen ?? [], ([text, element]) => [element, text]));
  const gone = [...last].filter(([element, text]) => {
    if (!element.isConnected || !isExposed(element, reading)) return true;
    return isAnnounced(element, reading) && !collapse(textOf(element, reading)).includes(text);
  });
  return gone.slice(0, MOST_MESSAGES).map(([, text]) => text);
}

/**
 * Whether an element stands where messages do: elsewhere, one with the text of one that has left is rendered anew.
 * @param {Element} element
 * @param {Reading} reading
 */
function isAnnounced(element, reading) {
  return [element, ...flatAncestors(element)].some((one) => one.matches(LIVE) || isFloating(one, reading));
}

/**
 * @param {Element} element
 * @param {Reading} reading
 */
function isFloating(element, reading) {
  return element.matches(FLOATING_HINT) && ["fixed", "absolute", "sticky"].includes(reading.style(element).position);
}
