// The recorder's widget in a page. It runs in the agent's world, in a closed shadow root: the page sees one empty element
// and can neither read the steps nor press its buttons (docs/SECURITY.md, Recording). After the element has been put there nothing of it changes, so
// that the page's own observers hear of it no more than twice.
//
// The hub evaluates this script where the widget is to be shown, and calls `kaptureWidget` from then on. What a person
// asks for goes to the hub through a binding of the agent's world.

import { make } from "./elements.js";
import { Lease } from "./lease.js";
import { STYLE } from "./style.js";
import { WidgetView } from "./view.js";

/** Events of the widget that would bubble through the page. Keys are kept from it altogether. */
const COMPOSED = [
  "click", "dblclick", "auxclick", "contextmenu", "mousedown", "mouseup", "mousemove", "mouseover", "mouseout", "wheel",
  "pointerdown", "pointerup", "pointermove", "pointerover", "pointerout", "pointercancel", "touchstart", "touchmove", "touchend",
  "focusin", "focusout", "dragstart", "dragover", "drop",
];

/** @param {object} message empty: the hub has the widget stay */
function send(message) {
  /** @type {any} */ (globalThis).kaptureWidgetMessage?.(JSON.stringify(message));
}

class Widget {
  #host = make("div");

  #root = this.#host.attachShadow({ mode: "closed" });

  /** The element that had the focus before it stepped aside. @type {Element | null} */
  #focused = null;

  #view = new WidgetView(send);

  #lease = new Lease(() => send({}), () => this.remove());

  constructor() {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.#root.adoptedStyleSheets = [sheet]; // no policy of the page forbids these
    this.#root.append(this.#view.element);
    for (const kind of COMPOSED) this.#root.addEventListener(kind, (event) => event.stopPropagation());
    /** @type {any} */ (globalThis).kapture.adoptOwnElement(this.#host, (/** @type {Event} */ event) => this.#hear(event));
    addEventListener("resize", () => this.#lease.doubt());
  }

  #drawn = false;

  /**
   * Draw it as it is now. False: another one must be made, because this one has
   * been taken out of the document. With `document.open()` it has lost its listeners too.
   * @param {import("./view.js").Shown} shown
   * @param {{ aside: boolean, unseen: boolean }} state
   */
  show(shown, { aside, unseen }) {
    if (this.#drawn && !this.#isThere()) {
      this.remove();
      this.#root.replaceChildren();
      return false;
    }
    this.#view.show(shown);
    this.aside(aside);
    this.unseen(unseen);
    if (!this.#drawn) {
      document.documentElement.append(this.#host);
      this.#view.element.showPopover();
      this.#drawn = true;
    }
    this.#lease.renew();
    return true;
  }

  /**
   * Stay as it is for longer; the hub asks for that within the lease. Whether it is there.
   * @param {{ aside: boolean, unseen: boolean }} state
   */
  stay({ aside, unseen }) {
    if (!this.#drawn || !this.#isThere()) return false;
    this.aside(aside);
    this.unseen(unseen);
    this.#lease.renew();
    return true;
  }

  #isThere() {
    return this.#host.isConnected && this.#host.ownerDocument === document && this.#view.element.matches(":popover-open");
  }

  /** While a client acts on the page: neither pointer nor keyboard reach the widget. @param {boolean} on */
  aside(on) {
    const { element } = this.#view;
    if (element.inert === on) return;
    if (on) {
      this.#focused = this.#root.activeElement;
      /** @type {HTMLElement | null} */ (this.#focused)?.blur(); // by itself the focus would leave with the next frame
    }
    element.inert = on;
    const free = document.activeElement === document.body || document.activeElement === null;
    if (!on && free) /** @type {HTMLElement | null} */ (this.#focused)?.focus({ preventScroll: true });
  }

  /** While a picture is taken. @param {boolean} on */
  unseen(on) {
    this.#view.element.classList.toggle("unseen", on);
  }

  remove() {
    this.#lease.cancel();
    this.#host.remove();
  }

  /** Handle a key typed into it, which the page does not get. @param {Event} event */
  #hear(event) {
    if (event.isTrusted && event instanceof KeyboardEvent && event.type === "keydown" && this.#view.onKey(event)) event.preventDefault();
  }
}

const world = /** @type {any} */ (globalThis);

if (document.documentElement instanceof HTMLElement) world.kaptureWidget = new Widget();
