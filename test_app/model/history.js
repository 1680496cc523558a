/**
 * The runs of this Console, newest first, kept in the browser within bounds: 5,000 runs and 8 million characters.
 */

import { inPieces } from "./pieces.js";
import { Store } from "./store.js";

/**
 * @typedef {object} Run
 * @property {string} id
 * @property {string} tool
 * @property {string} tabId
 * @property {string} where the tab's title as it was
 * @property {Record<string, unknown>} given
 * @property {number} at Unix milliseconds
 * @property {number} durationMs
 * @property {"ok" | "failed" | "cancelled"} state
 * @property {string} text
 * @property {unknown} data
 * @property {{base64: string, mimeType: string, name?: string}[]} parts
 * @property {{code: string, message: string, data?: unknown} | null} error
 */

/**
 * @typedef {object} Imported how many runs of a file
 * @property {number} added
 * @property {number} known were here already
 * @property {number} old are beyond the bounds: there are newer ones
 * @property {number} unreadable could not be shown
 */
/** @typedef {{run: Run, size: number}} Sized `size` as JSON, in characters */
/** @typedef {{all: () => Promise<Run[]>, put: (runs: Run[]) => void, remove: (ids: string[]) => void}} RunStorage where runs are kept */

export const MOST_RUNS = 5_000;
export const MOST_CHARS = 8_000_000;
const LONGEST_CHARS = 200_000; // of one run: a picture larger than that is not kept
const LONGEST_NAME = 10_000;
const DEEPEST = 100;
const [FORMAT, VERSION] = ["kapture-console-history", 1];

export class History extends Store {
  /** @type {Run[]} newest first */
  runs = [];
  /** @type {Map<string, number>} */
  #sizes = new Map();
  #chars = 0;

  /** @param {RunStorage} storage */
  constructor(storage) {
    super();
    this.storage = storage;
  }

  async load() {
    const kept = await inPieces(await this.storage.all(), sized);
    this.#take(kept.filter(({ run: { id } }) => !this.#sizes.has(id)));
  }

  /** @param {Run} run */
  add(run) {
    const kept = shortened(sized(run));
    this.storage.put([kept.run]);
    this.#take([kept]);
  }

  clear() {
    this.storage.remove(this.runs.map(({ id }) => id));
    this.runs = [];
    this.#sizes.clear();
    this.#chars = 0;
    this.changed();
  }

  /** As JSON, for a file. @param {readonly Run[]} [runs] */
  exported(runs = this.runs) {
    return JSON.stringify({ format: FORMAT, version: VERSION, runs }, null, 2);
  }

  /**
   * Take in what was exported; runs that are here already are left out.
   * @param {string} json
   * @returns {Promise<Imported>}
   */
  async import(json) {
    const { format, version, runs } = parsed(json);
    if (format !== FORMAT || !Array.isArray(runs)) throw new Error("This file is not a history of the Console.");
    if (version !== VERSION) throw new Error("It is from another version of the Console.");
    const readable = (await inPieces(runs, (run) => (isRun(run) ? shortened(sized(run)) : null))).filter((one) => one !== null);
    const read = new Map(readable.map((one) => [one.run.id, one]));
    const fresh = [...read.values()].filter(({ run: { id } }) => !this.#sizes.has(id));
    this.storage.put(fresh.map(({ run }) => run));
    this.#take(fresh);
    const added = fresh.filter(({ run: { id } }) => this.#sizes.has(id)).length;
    return { added, known: read.size - fresh.length, old: fresh.length - added, unreadable: runs.length - readable.length };
  }

  /** @param {Sized[]} taken */
  #take(taken) {
    for (const { run, size } of taken) {
      this.#sizes.set(run.id, size);
      this.#chars += size;
    }
    this.runs = [...taken.map(({ run }) => run), ...this.runs].toSorted((one, other) => other.at - one.at);
    /** @type {string[]} */
    const dropped = [];
    while (this.runs.length > MOST_RUNS || (this.#chars > MOST_CHARS && this.runs.length > 1)) {
      const { id } = /** @type {Run} */ (this.runs.pop());
      this.#chars -= this.#sizes.get(id) ?? 0;
      this.#sizes.delete(id);
      dropped.push(id);
    }
    if (dropped.length > 0) this.storage.remove(dropped);
    this.changed();
  }
}

/**
 * @param {readonly Run[]} runs
 * @param {string} search words of which each must be in the run
 */
export function found(runs, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return runs;
  return runs.filter((run) => {
    const all = searched(run);
    return words.every((word) => all.includes(word));
  });
}

/** @type {WeakMap<Run, string>} */
const texts = new WeakMap();

/** The searchable text of a run; made once. @param {Run} run */
function searched(run) {
  let all = texts.get(run);
  if (all === undefined) {
    const { tool, where, given, state, error, text } = run;
    all = `${tool} ${where} ${JSON.stringify(given)} ${state} ${error ? `${error.code} ${error.message}` : ""} ${text.slice(0, 20_000)}`.toLowerCase();
    texts.set(run, all);
  }
  return all;
}

/** @param {Run} run @returns {Sized} */
function sized(run) {
  return { run, size: JSON.stringify(run).length };
}

/** @param {Sized} one @returns {Sized} */
function shortened({ run, size }) {
  if (size <= LONGEST_CHARS) return { run, size };
  const kept = sized({ ...run, parts: [], data: null });
  return kept.size <= LONGEST_CHARS ? kept : sized({ ...kept.run, text: `${run.text.slice(0, LONGEST_CHARS / 2)}\n… cut in the history` });
}

/** @param {string} json @returns {any} an object, empty where the text is null */
function parsed(json) {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    throw new Error("It is damaged, or not JSON.");
  }
}

const STATES = ["ok", "failed", "cancelled"];
/** Whether it is nested no deeper than what a database or a view takes. @param {unknown} value @param {number} [left] @returns {boolean} */
const isShallow = (value, left = DEEPEST) =>
  typeof value !== "object" || value === null || (left > 0 && Object.values(value).every((one) => isShallow(one, left - 1)));
const isObject = (/** @type {unknown} */ value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a run of a file has all that views read of one. @param {any} run @returns {run is Run} */
function isRun(run) {
  const names = [run?.id, run?.tool, run?.tabId, run?.where];
  return (
    names.every((name) => typeof name === "string" && name.length <= LONGEST_NAME) &&
    typeof run.text === "string" &&
    isShallow(run) &&
    Number.isFinite(run.at) &&
    Number.isFinite(run.durationMs) &&
    STATES.includes(run.state) &&
    isObject(run.given) &&
    Array.isArray(run.parts) &&
    run.parts.every((/** @type {any} */ part) => typeof part?.base64 === "string" && typeof part.mimeType === "string") &&
    (run.error === null || (typeof run.error?.code === "string" && typeof run.error.message === "string"))
  );
}
