/**
 * Buttons that decide something: a click or key that was meant for something else must decide nothing.
 *
 * They come alive some time after they have appeared and nobody has typed; none is focused by itself, and a key presses
 * only the button that was focused on purpose. A click counts only if the pointer went down on a button that was alive:
 * the browser reports a click for a disabled button, too, if it is enabled by the time the pointer is released.
 */

import { html } from "../vendor/lit.js";

/** For so long buttons are there, with no key pressed, before they can be pressed. */
export const GUARD_MS = 600;

export class Guard {
  /** @param {() => void} onChange whether the buttons are alive has changed */
  constructor(onChange) {
    this.onChange = onChange;
    this.alive = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {EventTarget | null} focused while it was alive: by Tab, or by a press of the pointer */
    this.focused = null;
    /** @type {EventTarget | null} where the pointer went down while it was alive */
    this.pressed = null;
  }

  /** Keep the buttons from being pressed for a while. */
  start() {
    clearTimeout(this.timer);
    this.focused = null;
    this.pressed = null;
    this.alive = false;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.alive = true;
      this.onChange();
    }, GUARD_MS);
    this.onChange();
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** A key was pressed, somewhere. @param {KeyboardEvent} event @param {EventTarget | undefined} target what it goes to */
  typed(event, target) {
    // A key that is held down was pressed for what had the focus before.
    if (event.repeat && target === this.focused) event.preventDefault();
    if (target !== this.focused && !this.alive) this.start();
  }

  /** @param {FocusEvent} event */
  focus({ target }) {
    this.focused = this.alive ? target : null;
  }

  blur() {
    this.focused = null;
  }

  /** The pointer went down on a button. @param {PointerEvent} event */
  press({ currentTarget }) {
    this.pressed = this.alive ? currentTarget : null;
  }

  /**
   * Whether this click was meant.
   * @param {MouseEvent} event
   */
  allows({ detail: presses, currentTarget }) {
    const byKey = presses === 0;
    return this.alive && (byKey ? this.focused : this.pressed) === currentTarget;
  }
}

/** The guards of a Lit element, by what their buttons decide; each guards anew when the page comes into view. */
export class Guards {
  /** @param {import("../vendor/lit.js").LitElement} host */
  constructor(host) {
    this.host = host;
    /** @type {Map<string, Guard>} */
    this.all = new Map();
    this.typed = (/** @type {KeyboardEvent} */ event) => {
      for (const guard of this.all.values()) guard.typed(event, event.composedPath()[0]);
    };
    this.appeared = () => {
      for (const guard of this.all.values()) guard.start();
    };
    host.addController(this);
  }

  hostConnected() {
    document.addEventListener("keydown", this.typed, true);
    document.addEventListener("visibilitychange", this.appeared);
  }

  hostDisconnected() {
    document.removeEventListener("keydown", this.typed, true);
    document.removeEventListener("visibilitychange", this.appeared);
    for (const guard of this.all.values()) guard.stop();
  }

  /**
   * Guard what is decided now. What stays moves to where another was, when that has gone.
   * @param {string[]} ids
   */
  keep(ids) {
    let moved = false;
    for (const [id, guard] of this.all) {
      if (ids.includes(id)) continue;
      guard.stop();
      this.all.delete(id);
      moved = true;
    }
    if (moved) this.appeared();
    for (const id of ids) {
      if (this.all.has(id)) continue;
      const guard = new Guard(() => this.host.requestUpdate());
      this.all.set(id, guard);
      guard.start();
    }
  }

  /**
   * A button of what is decided.
   * @param {string} id
   * @param {string} text
   * @param {string} look its classes
   * @param {() => void} act
   */
  button(id, text, look, act, disabled = false) {
    const guard = /** @type {Guard} */ (this.all.get(id));
    return html`<button
      type="button"
      class=${look}
      ?disabled=${disabled || !guard.alive}
      @focus=${guard.focus.bind(guard)}
      @blur=${guard.blur.bind(guard)}
      @pointerdown=${guard.press.bind(guard)}
      @click=${(/** @type {MouseEvent} */ event) => guard.allows(event) && act()}
    >
      ${text}
    </button>`;
  }
}
