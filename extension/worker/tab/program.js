/**
 * A program of CDP commands: several in one message; a later one may use values from the results of earlier ones, or
 * require them (docs/PROTOCOL.md, "Programs"). kapture/cdp/program.py runs the same programs where each command is sent
 * separately; tests/wire/programs.json tests that both behave alike.
 */

/** @typedef {{resultOf: number, path: string}} ResultReference */
/** @typedef {ResultReference & {value: string | number | boolean | null}} Condition */
/** @typedef {{method?: string, params?: any, sessionId?: string | null}} CdpCommand */
/** @typedef {CdpCommand & {waitForPrevious?: boolean, requires?: Condition[]}} ProgramCommand */
/** @typedef {{result?: any, error?: object, skipped?: true}} Answer */

/** A reference or condition is malformed, or a referenced value does not exist. */
class InvalidReference extends Error {
  code = "INVALID_PARAMS";
}

export class Program {
  /** @type {(Answer | undefined)[]} */
  #answers;

  /** For each started command: resolves when it has been answered. @type {Promise<void>[]} */
  #answered = [];

  #ended = false;

  /** Whether each answer has been taken, by index. @type {boolean[]} */
  #taken = [];

  /**
   * @param {ProgramCommand[]} commands
   * @param {(command: CdpCommand) => Promise<Answer>} send never rejects
   * @param {(error: Error) => object} wireError
   */
  constructor(commands, send, wireError) {
    this.commands = commands;
    this.send = send;
    this.wireError = wireError;
    this.#answers = commands.map(() => undefined);
  }

  /** Run it; resolves when every command that was started has been answered. */
  async run() {
    for (let at = 0; at < this.commands.length && !this.#ended; at += 1) {
      const before = this.#dependencies(at);
      if (before.length > 0) await Promise.all(before);
      if (!this.#ended) this.#start(at);
    }
    await Promise.all(this.#answered);
    for (let at = 0; at < this.#answers.length; at += 1) this.#answers[at] ??= { skipped: true };
  }

  /** Start no further command. */
  end() {
    this.#ended = true;
  }

  /**
   * The answers since the last call of this, null for all others; undefined if there are none.
   * @returns {(Answer | null)[] | undefined}
   */
  take() {
    let any = false;
    const taken = this.#answers.map((answer, at) => {
      if (answer === undefined || this.#taken[at]) return null;
      any = this.#taken[at] = true;
      return answer;
    });
    return any ? taken : undefined;
  }

  /** @param {number} at */
  #start(at) {
    const command = this.commands[at];
    let params;
    try {
      if (!this.#requirementsHold(command)) return this.end();
      params = this.#resolved(command.params ?? {});
    } catch (error) {
      if (!(error instanceof InvalidReference)) throw error;
      this.#answers[at] = { error: this.wireError(error) };
      return this.end();
    }
    this.#answered[at] = this.send({ ...command, params }).then((answer) => {
      this.#answers[at] = answer;
    });
  }

  /**
   * The answers that a command waits for: those it refers to, and the previous one if it says so.
   * @param {number} at
   */
  #dependencies(at) {
    const { waitForPrevious, requires, params } = this.commands[at];
    const references = [
      ...(Array.isArray(requires) ? requires : []),
      ...Object.entries(params ?? {}).flatMap(([name, value]) => (name.startsWith("#") ? [value] : [])),
    ];
    // A malformed reference is reported when its command is started.
    const before = references.flatMap((reference) => this.#answered[reference?.resultOf] ?? []);
    return waitForPrevious && at > 0 ? [...before, this.#answered[at - 1]] : before;
  }

  /** @param {ProgramCommand} command */
  #requirementsHold({ requires = [] }) {
    if (!Array.isArray(requires)) throw new InvalidReference("`requires` must be a list of conditions.");
    return requires.every((condition) => {
      const answer = this.#answerTo(condition);
      if (answer?.result === undefined) return false;
      const found = lookUp(answer.result, condition.path);
      return (found === undefined ? null : found) === condition.value;
    });
  }

  /**
   * Every name stays a name, `__proto__` too: one that were set would change what the gate reads, and not what is sent.
   * @param {Record<string, any>} params
   */
  #resolved(params) {
    /** @type {Map<string, any>} */
    const resolved = new Map();
    for (const [key, value] of Object.entries(params)) {
      const name = key.startsWith("#") ? key.slice(1) : key;
      if (resolved.has(name)) throw new InvalidReference(`Both ${name} and #${name} are given.`);
      resolved.set(name, name === key ? value : this.#referred(value, name));
    }
    return Object.fromEntries(resolved);
  }

  /**
   * @param {any} reference
   * @param {string} name of the parameter
   */
  #referred(reference, name) {
    const answer = this.#answerTo(reference);
    const found = answer?.result === undefined ? undefined : lookUp(answer.result, reference.path);
    if (found !== undefined) return found;
    throw new InvalidReference(`#${name}: the result of command ${reference.resultOf} has nothing at ${JSON.stringify(reference.path)}.`);
  }

  /** @param {any} reference */
  #answerTo(reference) {
    const { resultOf, path } = reference ?? {};
    const wellFormed = Number.isInteger(resultOf) && typeof path === "string" && (path === "" || path.startsWith("/"));
    if (wellFormed && resultOf in this.#answered) return this.#answers[resultOf];
    throw new InvalidReference("A result reference needs `resultOf`, the index of an earlier command, and `path`, a JSON Pointer.");
  }
}

/**
 * The value that a JSON Pointer (RFC 6901) points to; undefined if there is none. Where the path continues into a
 * string, the string is parsed as JSON.
 * @param {any} value
 * @param {string} path
 */
function lookUp(value, path) {
  for (const token of path.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value === "string") value = parsed(value);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(key)) return undefined;
    value = value[key];
  }
  return value;
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
