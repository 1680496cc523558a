/**
 * The words for a recording and its steps wherever one is shown: in the panel, in the Console, and in the page by the
 * recorder's widget (kapture/page/widget/), which cannot use the views here.
 */

/** @typedef {import("./recording.js").RecordedStep} RecordedStep */
/** @typedef {import("./recording.js").RecordingState} RecordingState */

/** The name of a scenario: a pattern for `<input>`. */
export const SCENARIO_NAME = "[A-Za-z0-9][A-Za-z0-9_\\-]{0,99}";

/** The name of a parameter or variable: a pattern for `<input>`. */
export const VARIABLE = "^[A-Za-z_][A-Za-z0-9_]{0,63}$";

const TYPES = /^(fill|type|paste)\b/;

/** @param {RecordingState | null} state */
export function recordingSummary(state) {
  const count = state?.steps.length ?? 0;
  if (!state || (!state.going && count === 0)) return "What you do on the tab becomes a scenario.";
  const { going, leftOut, full } = state;
  const steps = `${count} step${count === 1 ? "" : "s"}`;
  if (going && count === 0) return "Use the page: each step is listed here.";
  const why = full ? `. The recording is full: ${full}. Save it, or delete steps.` : "";
  return `${steps}${leftOut ? `, ${leftOut} more did not fit` : ""}${going ? "" : ", not saved yet"}${why}`;
}

/** The counts of a saved scenario, and its possible dependencies. @param {import("./recording.js").Saved} saved */
export function savedWords({ name, steps = [], parameters = [], secrets = [], follows = [] }) {
  const counts = Object.entries({ step: steps, parameter: parameters, secret: secrets })
    .filter(([what, { length }]) => what === "step" || length > 0)
    .map(([what, { length }]) => `${length} ${what}${length === 1 ? "" : "s"}`);
  const after = follows.length ? ` It begins where ${follows.join(", ")} ends: add that under Steps if it must run first.` : "";
  return `Saved ${name}: ${counts.join(", ")}.${after}`;
}

/** Whether a step has a value that can be read and changed. @param {RecordedStep} step */
export function isEditable({ value }) {
  return typeof value === "string";
}

/** Whether a step types something that can be kept as a secret. @param {RecordedStep} step */
export function canBeSecret(step) {
  return isEditable(step) && TYPES.test(step.title);
}

/** The value, where a step's title does not say it. @param {RecordedStep} step */
export function valueBeside({ title, value }) {
  return typeof value === "string" && !title.includes(value) ? value : undefined;
}

/** The names of the secrets that are typed. @param {readonly RecordedStep[]} steps */
export function secretsIn(steps) {
  return [...new Set(steps.flatMap(({ secret }) => secret ?? []))];
}

/** The field of a step and its text: `City: Rome`. @param {RecordedStep} step */
export function typedText({ title, value }) {
  return `${/"(.+)"$/.exec(title)?.[1] ?? title}: ${value}`;
}

/** Tags as a person writes them, between commas. @param {string} text */
export function tagsIn(text) {
  return text.split(",").map((tag) => tag.trim()).filter(Boolean);
}

/** Whether a recording was not saved because there is a scenario of this name. @param {{code?: string, message: string} | null | undefined} problem */
export function nameIsTaken(problem) {
  return problem?.code === "SCENARIO_INVALID" && /already/.test(problem.message);
}
