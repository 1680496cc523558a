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
 *   element: Element | null, until: number, box?: DOMRect, path?: EventTarget[], met?: boolean, moved?: true, pressedAt?: DOMRect,
 *   cover?: { text: string, ref: number, role: string, name: string },
 * }} ExpectedPress
 */

/** An element of Kapture's own in the page; `hear` gets what is typed into it. @typedef {{ host: Element, hear?: (event: Event) => void }} Own */

/** The elements of picture/shown.js. @typedef {Record<"all" | "client" | "action" | "stop" | "mark", HTMLElement>} ShownParts */

/** Selectors of rules that give ::before and ::after text; `anywhere`: any element may match. `skipping`: one sets content-visibility.
 * @typedef {{ before: string[], after: string[], anywhere: boolean, skipping: boolean }} PseudoRules
 */

/** A change that happens by itself: when it last did, how often, and the texts there, each with whether it was another before.
 * @typedef {{ at: number, times: number, texts: Map<string, { text: string, other: boolean }> }} Tick
 */
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
    /** Elements with listeners of their own, by backend node id. @type {Map<number, WeakRef<Element>>} */
    nodes: new Map(),
    /** Shadow roots that the hub knows, and how often they have changed. @type {WeakRef<Document | ShadowRoot>[]} */
    roots: [],
    rootsVersion: 0,
    /** When they were asked for, in milliseconds since the document's creation. @type {number | undefined} */
    askedAt: undefined,
    /** Whether elements have been added since. */
    changed: false,
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

  /** Of a document without a root: what stands in its place (dom/flat_tree.js), and whether it has been waited for in vain
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

  /** Whether the hub's key has come; see act/guards/probe_guard.js. */
  probed = false;

  /** The last click on a file input, and the last attempt to submit a form; see act/effects/file_chooser.js, refused_form.js.
   * @type {{ chooser?: { event: Event, input: HTMLInputElement }, form?: { form: HTMLFormElement, event?: Event, invalid: Set<Element>, sent: boolean } }} */
  attempts = {};

  /** The lists that were shown before an element was to open its own; see act/options/listbox.js. @type {WeakMap<Element, WeakSet<Element>>} */
  otherLists = new WeakMap();

  /** Elements that showed the texts of wanted options before a list was opened; see act/options/listbox.js. @type {WeakMap<Element, WeakSet<Element>>} */
  plainTexts = new WeakMap();

  /** The tree of the document that was sent last, its nodes by ref. @type {{ number: number, nodes: Map<number, TreeNode> } | undefined} */
  sentTree = undefined;

  /** The values of fields before input; see act/filling/read_back.js. @type {WeakMap<Element, string>} */
  beforeTyping = new WeakMap();

  /** Role and name of fields before input. @type {WeakMap<Element, { role: string, name: string }>} */
  calledBefore = new WeakMap();

  /** All times of settling, in milliseconds: `agent_times` of kapture/page/settling/table.py. */
  times = /** @type {{ atMost: number, byItself: number, apart: number }} */ (/** @type {any} */ (globalThis).kaptureTimes);

  /** What changes; see act/effects/changes.js. `known`: when what changes by itself has changed; `parts`: of those the elements with texts. */
  changes = {
    observer: /** @type {MutationObserver | undefined} */ (undefined),
    known: /** @type {WeakMap<Node, Map<string, Tick>>} */ (new WeakMap()),
    parts: /** @type {Map<Element, Tick>} */ (new Map()),
    inputAt: -Infinity,
    count: 0, // of changes other than by scrolling
    animations: /** @type {WeakSet<Animation>} */ (new WeakSet()), // before the action
    any: true, // since the action, or the document, began
    last: performance.now(), // when
    pending: /** @type {Map<Node, number>} */ (new Map()), // when parts have changed that may not be shown
    values: /** @type {Map<HTMLInputElement, string>} */ (new Map()),
  };

  /** Messages since an action began; see act/effects/transients.js. @type {{ before: Set<string>, seen: Map<string, Element>, removed: Set<string>, looks: number } | undefined} */
  messages = undefined;

  /** Attributes before an action changed them. @type {Map<Element, Map<string, string>>} */
  styles = new Map();

  /** The element last acted on. @type {Element | undefined} */
  actedOn = undefined;

  /** What scrolls; see act/effects/scrolled.js. */
  scrolls = {
    /** Where parts of the page were when they last scrolled. @type {WeakMap<Element, { x: number, y: number }>} */
    known: new WeakMap(),
    /** Where those that the action has scrolled were before. @type {Map<Element, { x: number, y: number }>} */
    since: new Map(),
    around: /** @type {Element[]} */ ([]), // what is acted on, with all that is around it
    changed: /** @type {(scroller: Element, kind: string) => boolean} */ (() => true),
  };

  /** The canvas that is pressed, and its picture before; see act/effects/changes.js. @type {{ canvas: HTMLCanvasElement, sum: number | undefined } | undefined} */
  pressedPicture = undefined;

  /** Where everything was scrolled to before a command scrolled. @type {{ box: Element, x: number, y: number }[]} */
  scrolledFrom = [];

  /** The files that an input was given, and those that were dropped; see act/upload.js.
   * @type {{ to: HTMLInputElement, files: string[] } | undefined} */
  givenFiles = undefined;
  /** @type {{ watching: AbortController, over?: DragEvent, event?: DragEvent, taken?: boolean, files: string[] } | undefined} */
  drop = undefined;

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
    /** The veil over this document; see picture/veil.js. @type {HTMLElement | undefined} */
    veil: undefined,
  };

  /** Whether a form may have a control that is named like what elements inherit; see dom/forms/named_controls.js. */
  forms = { mayBeClobbered: true };

  /** Kapture's own elements in the page; see dom/own_element.js. @type {Own[]} */
  own = [];

  /** What shows a person that a client acts; see picture/shown.js. */
  shown = {
    /** @type {HTMLElement | undefined} */
    host: undefined,
    /** @type {ShownParts | undefined} */
    parts: undefined,
    /** What the client does, without the name of an element. */
    does: "",
    /** What stands before that name. */
    to: "",
    /** Where it points, and the name of what is there. @type {{ x: number, y: number, name?: string } | undefined} */
    pointed: undefined,
    /** At its end it goes by itself. A timer would look like one of the page's, and an animation of an element would show
     * the page that element. */
    lease: /** @type {Animation | undefined} */ (undefined),
  };

  /** While a person's actions are recorded; see record/capture.js. @type {Recording | undefined} */
  recording = undefined;

  /** Fields that have held passwords, shown or not; see accessibility/secrets.js. @type {{ passwords: WeakSet<Element> }} */
  recordedSecrets = { passwords: new WeakSet() };

  /** The last report of each password field, and how often any was; see record/passwords.js.
   * @type {{ last: WeakMap<Element, string>, count: number }} */
  reportedPasswords = { last: new WeakMap(), count: 0 };

  /** The title that was last reported to the hub. @type {string | undefined} */
  title = undefined;
}

export const state = new State();
