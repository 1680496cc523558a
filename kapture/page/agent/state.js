// All that the agent remembers between calls, in one object. No other module keeps state of its own
// (tests/js/agent/agent_imports.test.js checks that).

/**
 * A ref, as it was given out: valid while the element's role and name are these.
 * @typedef {{ number: number, role: string, name: string }} Ref
 */

/**
 * The press that is expected: on this element, or on none at all (null: this document lies around the frame that is
 * meant). `met`, `cover`: what came of it.
 * @typedef {{
 *   element: Element | null, until: number, met?: boolean,
 *   cover?: { text: string, ref: number, role: string, name: string },
 * }} ExpectedPress
 */

/** Selectors of a style sheet whose rules give ::before and ::after text; `anywhere`: it may be any element.
 * `skipping`: a rule sets content-visibility.
 * @typedef {{ before: string[], after: string[], anywhere: boolean, skipping: boolean }} PseudoRules
 */

/**
 * What the browser's accessibility tree says of an element.
 * @typedef {{
 *   role: string, name: string, description: string, value?: string, states: Record<string, string | number | boolean>,
 * }} Semantics
 */

/**
 * One element of a snapshot.
 * @typedef {{
 *   role: string, name: string, ref: number, states?: Record<string, string | number | boolean>, value?: string,
 *   url?: string, description?: string, frame?: string, offscreen?: true, clickable?: true, hint?: [string, string],
 *   children?: (TreeNode | string)[],
 * }} TreeNode
 */

/**
 * Recording in one document. `document` and `last` make ids of actions. `typing`: the field that text goes into.
 * `press`: what the pointer was pressed on, `handled` once it is recorded. `clicked`: the last click. `dragged`: what the
 * browser drags. `scrolling`: a person does. `submitting`: Enter is down in a field. `lineBreak`: it may make a line there.
 * @typedef {{
 *   document: string, last: number, submitting: boolean, scrolling: boolean, clicked?: string, lineBreak?: Element,
 *   typing?: { field: Element, id: string, secret: boolean },
 *   press?: { x: number, y: number, element: Element, choice: any, handled: boolean },
 *   dragged?: any,
 * }} Recording
 */

class State {
  /** Refs that clients know; see dom/refs.js. */
  refs = {
    /** The highest number given out so far. */
    top: 0,
    /** @type {WeakMap<Element, Ref>} */
    byElement: new WeakMap(),
    /** @type {Map<number, WeakRef<Element>>} */
    byNumber: new Map(),
  };

  /** Elements in the course of an action; see dom/handles.js. */
  handles = {
    last: 0,
    /** @type {Map<number, WeakRef<Element>>} */
    elements: new Map(),
  };

  /** Frames under the hub's keys; the other way round too, for those in closed roots are found by no search. */
  frames = {
    /** @type {WeakMap<Element, string>} */
    keys: new WeakMap(),
    /** @type {Map<string, WeakRef<Element>>} */
    elements: new Map(),
  };

  /** Closed shadow roots that the hub handed in, and the elements that it has been asked about. */
  closedRoots = {
    any: false,
    /** @type {WeakMap<Element, ShadowRoot>} */
    byHost: new WeakMap(),
    /** @type {WeakSet<Element>} */
    asked: new WeakSet(),
  };

  /** Elements on which the page waits for clicks; see dom/listeners.js. */
  listeners = {
    /** @type {WeakSet<Element>} */
    heard: new WeakSet(),
    /** Those that listen for others. @type {WeakSet<Element>} */
    delegating: new WeakSet(),
    /** Elements with listeners of their own, by the browser's ids. @type {Map<number, WeakRef<Element>>} */
    nodes: new Map(),
    /** Shadow roots that the hub knows of, and how often they have changed. @type {WeakRef<Document | ShadowRoot>[]} */
    roots: [],
    rootsVersion: 0,
    /** When they were asked for, in milliseconds of the document's life. @type {number | undefined} */
    askedAt: undefined,
    /** Elements have been added since. */
    changed: false,
    /** The page may go on by messages, as far as its own world could tell. */
    messages: true,
    /** It has done so. */
    messagesSeen: false,
    /** The answer has come for the call that is about to be made. */
    answered: false,
    /** @type {MutationObserver | undefined} */
    observer: undefined,
  };

  /** What the browser says of custom elements; see accessibility/internals.js. */
  internals = {
    /** Null where it says nothing. @type {WeakMap<Element, Semantics | null>} */
    byElement: new WeakMap(),
    /** Tags of elements whose internals say something. @type {Set<string>} */
    speaking: new Set(),
    /** How many elements of a tag have been asked about. @type {Map<string, number>} */
    samples: new Map(),
    /** The elements that are being asked about. @type {Element[]} */
    taken: [],
    /** The answer has come for the call that is about to be made. */
    answered: false,
  };

  /** Rules of large style sheets, while the number of their rules stays the same. */
  /** @type {WeakMap<CSSStyleSheet, { length: number, last: CSSRule | undefined, rules: PseudoRules }>} */
  pseudoRules = new WeakMap();

  /** Calls that wait inside the page, and the one that is being started; see dom/waiting.js. */
  calls = {
    current: 0,
    /** What ends a call that waits, by the hub's number of the call. @type {Map<number, () => void>} */
    cancels: new Map(),
  };

  /** @type {ExpectedPress | undefined} */
  expectedPress = undefined;

  /** The field that text is expected in; see act/text_guard.js. @type {{ field: Element, until: number } | undefined} */
  expectedText = undefined;

  /** What fields held when the page was told of their change; see act/reported_change.js. @type {WeakMap<Element, string>} */
  reportedChanges = new WeakMap();

  /** While this document refuses the hub's input; see act/input_guard.js. @type {{ until: number, events: number } | undefined} */
  refusedInput = undefined;

  /** What the last action left behind; see act/settle.js. */
  settling = {
    /** A form is being submitted: the navigation starts in a task of its own. */
    submitting: false,
    /** While an action is watched that somebody looks at: notices whatever changes. @type {MutationObserver | undefined} */
    changes: undefined,
    changed: false,
    /** The next look shows what an action did that has changed nothing so far, and is not to wait for messages. */
    looksAtOnce: false,
    /** While tasks of the last action may still wait for their turn. @type {Promise<void> | undefined} */
    resting: undefined,
  };

  /** The tree of the document that was sent last, under a number of its own: its nodes by their refs. */
  /** @type {{ number: number, nodes: Map<number, TreeNode> } | undefined} */
  sentTree = undefined;

  /** What fields held before text was typed into them. @type {WeakMap<Element, string>} */
  beforeTyping = new WeakMap();

  /** Timers and frames that have been asked for; see act/scheduling.js. */
  scheduling = {
    /** By the agent itself. */
    own: { timers: 0, frames: 0 },
    /** The last look between actions. @type {{ timers: number, at: number } | null} */
    idle: null,
    /** When the action began. @type {{ timers: number, frames: number, at: number } | null} */
    baseline: null,
    /** Whether the page set no timers by itself before the action. */
    quiet: false,
    /** Timers that were asked for while an event was on its way. */
    byHandlers: 0,
    /** The event that is on its way now, and the timers before it. @type {{ event: Event, timers: number } | null} */
    dispatching: null,
  };

  /** What watches for messages that come and go. @type {{ gone(): string[], end(): string[] } | undefined} */
  transients = undefined;

  /** The start of a drag of the browser's own. @type {DragEvent | undefined} */
  dragStart = undefined;

  /** What is drawn over the page, and what was changed for that; see picture/overlay.js. */
  picture = {
    /** @type {HTMLElement | undefined} */
    overlay: undefined,
    /** @type {Animation[]} */
    hiding: [],
    /** Elements, each with its style attribute as it was. @type {[Element, string | null][]} */
    restyled: [],
  };

  /** While what a person does is recorded; see record/capture.js. @type {Recording | undefined} */
  recording = undefined;

  /** Fields that have held passwords, shown or not; see record/secrets.js. */
  recordedSecrets = {
    /** @type {WeakSet<Element>} */
    passwords: new WeakSet(),
  };

  /** The title that the hub knows. @type {string | undefined} */
  title = undefined;
}

export const state = new State();
