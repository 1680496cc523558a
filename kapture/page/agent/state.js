// Everything that the agent remembers between calls, in one object. No other module keeps state
// (tests/js/agent/agent_imports.test.js checks that).

/**
 * An assigned ref: valid while the element has this role and name.
 * @typedef {{ number: number, role: string, name: string, former?: { number: number, role: string, name: string }[] }} Ref
 */

/**
 * The expected press: on this element, or on none (null: this document is around the target's frame). `met`, `cover`,
 * `moved`: its result. `pressedAt`: the element's box when the page had received the press.
 * @typedef {{
 *   element: Element | null, until: number, box?: DOMRect, met?: boolean, moved?: true, pressedAt?: DOMRect,
 *   cover?: { text: string, ref: number, role: string, name: string },
 * }} ExpectedPress
 */

/** Selectors of rules that give ::before and ::after text; `anywhere`: any element may match. `skipping`: one sets content-visibility.
 * @typedef {{ before: string[], after: string[], anywhere: boolean, skipping: boolean }} PseudoRules
 */

/** How many timers and frames the page had requested at a time. @typedef {{ timers: number, frames: number, at: number }} Requested */
/** @typedef {{ count: number, at: number, lookedAt: number, texts: Map<string, { text: string, others: number }> }} Ticking */
/** A scroll position, and when it was reached. @typedef {{ x: number, y: number, at: number }} Scrolled */
/** The semantics of an element in the browser's accessibility tree.
 * @typedef {{ role: string, name: string, description: string, value?: string, states: Record<string, string | number | boolean> }} Semantics
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
 * Recording in one document. `document` and `last` make ids of actions. `typing`: the field that is being typed into.
 * `press`: what the pointer was pressed on, where in that (`inside`), what was `around` it, what it was released `onto`, and
 * `handled` once it is recorded; `byPointer`: no mouse event has told of it. `clicked`: the last click. `dragged`: what is
 * dragged natively. `scrolling`: by a person. `submitting`: Enter is down in a field. `lineBreak`: where it may add a line.
 * `held`: messages that are kept until the hub starts the recording. `lastEvent`: the event that came last, with the id of
 * the action that it was taken for (`sent`), and of that outside the closed root (`outside`).
 * @typedef {{
 *   document: string, last: number, submitting: boolean, scrolling: boolean, clicked?: string, lineBreak?: Element,
 *   held?: object[],
 *   typing?: { field: Element, id: string, secret: boolean },
 *   press?: { x: number, y: number, inside: number[], element: Element, around: Element[], onto?: any, choice: any,
 *     handled: boolean, byPointer?: boolean },
 *   dragged?: any,
 *   lastEvent?: { event: Event, innermost: EventTarget, dragged?: any, outside?: string, sent?: string },
 * }} Recording
 */

class State {
  /** Refs that clients know; see dom/refs.js. */
  refs = {
    top: 0, // the highest number assigned so far
    /** @type {WeakMap<Element, Ref>} */
    byElement: new WeakMap(),
    /** @type {Map<number, WeakRef<Element>>} */
    byNumber: new Map(),
    parents: /** @type {Map<number, WeakRef<Element>>} */ (new Map()),
  };

  /** Elements during an action; see dom/handles.js. */
  handles = {
    last: 0,
    /** @type {Map<number, WeakRef<Element>>} */
    elements: new Map(),
  };

  /** Frames by the hub's keys; also the reverse, because no search finds those in closed roots. */
  frames = {
    /** @type {WeakMap<Element, string>} */
    keys: new WeakMap(),
    /** @type {Map<string, WeakRef<Element>>} */
    elements: new Map(),
  };

  /** Closed shadow roots passed by the hub, and the elements that it has been asked about; see dom/closed_roots.js. */
  closedRoots = {
    any: false,
    /** @type {WeakMap<Element, ShadowRoot>} */
    byHost: new WeakMap(),
    /** With what they looked like then. @type {WeakMap<Element, string>} */
    asked: new WeakMap(),
    /** How often a person has pointed at them. @type {WeakMap<Element, number>} */
    suspected: new WeakMap(),
    /** Elements with contents to ask about, which by themselves do not look as if they had a root. @type {Set<Element>} */
    suspects: new Set(),
  };

  /** Elements on which the page listens for clicks; see dom/listeners.js. */
  listeners = {
    /** @type {WeakSet<Element>} */
    listenedTo: new WeakSet(),
    /** Those that listen only for what follows a press; true: only for touches. @type {WeakMap<Element, boolean>} */
    released: new WeakMap(),
    /** Elements with listeners of their own, by backend node id. @type {Map<number, WeakRef<Element>>} */
    nodes: new Map(),
    /** Shadow roots that the hub knows, and how often they have changed. @type {WeakRef<Document | ShadowRoot>[]} */
    roots: [],
    rootsVersion: 0,
    /** When they were asked for, in milliseconds since the document's creation. @type {number | undefined} */
    askedAt: undefined,
    /** Whether elements have been added since. */
    changed: false,
    /** Whether the page may schedule work by messages, as far as its main world shows. */
    messages: true,
    /** Whether it has done so. */
    messagesSeen: false,
    /** Whether the answer has come for the call that is about to be made. */
    answered: false,
    /** @type {MutationObserver | undefined} */
    observer: undefined,
  };

  /** Semantics of custom elements from the browser; see accessibility/internals.js. */
  internals = {
    /** Null if there are none. @type {WeakMap<Element, Semantics | null>} */
    byElement: new WeakMap(),
    /** Tags of elements with internal semantics. @type {Set<string>} */
    semanticTags: new Set(),
    /** How many elements of a tag have been asked about. @type {Map<string, number>} */
    samples: new Map(),
    /** The elements being asked about. @type {Element[]} */
    taken: [],
    /** Whether the answer has come for the call that is about to be made. */
    answered: false,
  };

  /** Of large style sheets, while they keep their length. @type {WeakMap<CSSStyleSheet, { length: number, last: CSSRule | undefined, rules: PseudoRules }>} */
  pseudoRules = new WeakMap();

  /** Calls that wait inside the page, and the one that is being started; see dom/waiting.js. */
  calls = {
    current: 0,
    /** Functions that end a waiting call, by the hub's number of the call. @type {Map<number, () => void>} */
    cancels: new Map(),
  };

  /** Of a document without a root: what stands in its place (dom/root.js), and whether it has been waited for in vain
   * (index.js). @type {{ standIn?: Element, stays: boolean }} */
  empty = { stays: false };

  /** @type {ExpectedPress | undefined} */
  expectedPress = undefined;

  /** Elements that have moved away from a press: the next one waits until they stand still. @type {WeakSet<Element>} */
  unsteady = new WeakSet();

  /** The field that text is expected in; see act/guards/text_guard.js. @type {{ field: Element, keyed: boolean, until: number, arrived: boolean, met: boolean, astray?: Element } | undefined} */
  expectedText = undefined;

  /** Values whose change was reported to the page; see act/filling/reported_change.js. @type {WeakMap<Element, string | symbol>} */
  reportedChanges = new WeakMap();

  /** While this document refuses the hub's input; see act/guards/input_guard.js. `isNew`: the hub has not judged it yet, or had
   * not when it had it refuse input (`meanwhile`). `atMost`: it refuses only what is still on its way.
   * @type {{ until: number, events: number, isNew?: boolean, meanwhile?: boolean, atMost?: number } | undefined} */
  refusedInput = undefined;

  /** What the last action left behind; see act/effects/settle.js. */
  settling = {
    /** Whether a form is being submitted: the navigation starts in a later task. */
    submitting: false,
    /** Observes all changes while a watched action runs. @type {MutationObserver | undefined} */
    changes: undefined,
    changed: false,
    /** When the action began, in milliseconds since the document's creation. */
    since: 0,
    /** Whether the next look is at an action that has changed nothing so far, and need not wait for messages. */
    looksAtOnce: false,
    /** Set while tasks of the last action may still be queued. @type {Promise<void> | undefined} */
    resting: undefined,
    leavesFullScreen: /** @type {Promise<void> | undefined} */ (undefined), // set while it is being left
    toggles: /** @type {Map<Element, { opens: boolean, last: string, over: Promise<void>, end: () => void }>} */ (new Map()),
    /** What the last action has pressed, if the page listens for that. @type {WeakRef<Element> | undefined} */
    pressed: undefined,
    /** The last click on a file input; see act/effects/file_chooser.js. @type {{ event: Event, input: HTMLInputElement } | undefined} */
    chooser: undefined,
    /** The last attempt to submit a form; see act/effects/refused_form.js. @type {{ form: HTMLFormElement, event?: Event, invalid: Set<Element>, sent: boolean } | undefined} */
    attempt: undefined,
    /** Elements that were pressed before, and brought nothing, as far as is known. @type {WeakSet<Element>} */
    withoutEffect: new WeakSet(),
  };

  /** The lists that were shown before an element was to open its own; see act/options/listbox.js. @type {WeakMap<Element, WeakSet<Element>>} */
  otherLists = new WeakMap();

  /** What showed the texts of wanted options before a list was opened; see act/options/plain_options.js. @type {WeakMap<Element, WeakSet<Element>>} */
  plainTexts = new WeakMap();

  /** What was out of view at the last snapshot; see snapshot/out_of_view.js. @type {WeakSet<Element>} */
  outOfView = new WeakSet();

  /** The tree of the document that was sent last, its nodes by ref. @type {{ number: number, nodes: Map<number, TreeNode> } | undefined} */
  sentTree = undefined;

  /** What fields hold before input; see act/filling/read_back.js. @type {WeakMap<Element, string>} */
  beforeTyping = new WeakMap();

  /** Role and name of fields before input. @type {WeakMap<Element, { role: string, name: string }>} */
  calledBefore = new WeakMap();

  /** Requested timers and frames; see act/effects/scheduling.js. */
  scheduling = {
    /** By the agent itself. */
    own: { timers: 0, frames: 0 },
    /** The last check between actions. @type {{ timers: number, at: number } | null} */
    idle: null,
    /** When the action began. @type {Requested | null} */
    baseline: null,
    /** Whether that was in the current task. */
    marked: false,
    /** Whether the page set no timers by itself before the action. */
    quiet: false,
    /** When the last action ended, until the next one begins; at first, when the document began. @type {Requested | null} */
    ended: { timers: 0, frames: 0, at: 0 },
    /** Whether the page requested one frame after the other in between. */
    drawing: false,
    /** Timers requested during an event. */
    byHandlers: 0,
    /** What was pressed, since the action began. @type {EventTarget[]} */
    pressed: [],
    /** The current event, and the timers before it. @type {{ event: Event, timers: number } | null} */
    dispatching: null,
  };

  /** What had the focus when an action began, the editor that it was in, and those whose timers have brought nothing. @type {{ focused: Element | null, editor?: WeakRef<Element>, known: WeakSet<Element> }} */
  vainTimers = { focused: null, known: new WeakSet() };

  /** Observes messages that appear and disappear, and changes of classes and styles.
   * @type {{ gone(): string[], end(): string[], restyled(element: Element): object[] } | undefined} */
  transients = undefined;

  /** What scrolls; see act/effects/scrolled.js. */
  scrolls = {
    /** Where parts of the page were when they last scrolled, and when. @type {WeakMap<Element, Scrolled>} */
    known: new WeakMap(),
    /** Where those that the action has scrolled were before. @type {Map<Element, Scrolled>} */
    since: new Map(),
    begun: 0, // when the action began
    /** What the browser may scroll for. @type {Event | undefined} */
    input: undefined,
    around: /** @type {Element[]} */ ([]), // what is acted on, with all that is around it
    /** Called for each of `since`. @type {() => void} */
    noticed: () => {},
  };

  /** The canvas that is pressed, and its picture before; see act/effects/pictures.js. @type {{ canvas: HTMLCanvasElement, sum: number | undefined } | undefined} */
  pressedPicture = undefined;

  /** The editor with the selection, before the action; see act/effects/markup.js. @type {{ editor: HTMLElement, text: string, tags: string[] } | undefined} */
  markup = undefined;

  /** What the current action drags. @type {Element | null} */
  draggedElement = null;

  /** The files that an input was given, and those that were dropped; see act/upload.js.
   * @type {{ to: HTMLInputElement, files: string[] } | undefined} */
  givenFiles = undefined;
  /** @type {{ event: DragEvent, files: string[] } | undefined} */
  droppedFiles = undefined;

  /** Whether a drag has had an effect on the page, and what observes that. */
  dragEffect = false;
  dragChanges = /** @type {MutationObserver | undefined} */ (undefined);

  /** The start of a native drag. @type {DragEvent | undefined} */
  dragStart = undefined;

  /** The overlay, and what was changed for it; see picture/overlay.js. */
  picture = {
    /** @type {HTMLElement | undefined} */
    overlay: undefined,
    /** @type {Animation[]} */
    hiding: [],
    /** Elements with their original style attributes. @type {[Element, string | null][]} */
    restyled: [],
    /** What covers this document; see picture/veil.js. @type {HTMLElement | undefined} */
    veil: undefined,
  };

  /** Whether a form may have a control that is named like what elements inherit; see dom/forms/named_controls.js. */
  forms = { mayBeClobbered: true };

  /** Kapture's own element in the page; see dom/own_element.js. @type {{ host: Element, hear: (event: Event) => void } | undefined} */
  own = undefined;

  /** While a person's actions are recorded; see record/capture.js. @type {Recording | undefined} */
  recording = undefined;

  /** Fields that have held passwords, shown or not; see record/secrets.js. @type {{ passwords: WeakSet<Element> }} */
  recordedSecrets = { passwords: new WeakSet() };

  /** What was last reported of each password field, and how often any was; see record/passwords.js.
   * @type {{ last: WeakMap<Element, string>, count: number }} */
  reportedPasswords = { last: new WeakMap(), count: 0 };

  /** What changes by itself; see dom/ticking.js. `parts`: how often parts of the page have, and when, and how often their texts have.
   * @type {{ observer?: MutationObserver, parts: WeakMap<Element, Ticking>, known: Set<Element>, seen: number, inputAt: number }} */
  ticking = { parts: new WeakMap(), known: new Set(), seen: 0, inputAt: -Infinity };

  /** The title that was last reported to the hub. @type {string | undefined} */
  title = undefined;
}

export const state = new State();
