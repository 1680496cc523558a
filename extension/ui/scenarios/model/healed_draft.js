// Changes that are not saved, after a run has kept how it found elements.

/** @typedef {import("./scenario.js").Draft} Draft */
/** @typedef {import("./scenario.js").Scenario} Scenario */
/** @typedef {Scenario["chain"][number]} Step */

/**
 * The changes, applied to a scenario whose steps since find their elements in another way; null if anything else has changed.
 * @param {Draft} draft
 * @param {Scenario} scenario as it is now
 * @returns {Draft | null}
 */
export function healedDraft(draft, scenario) {
  if (withoutElements(draft.of) !== withoutElements(scenario)) return null;
  /** The current targets of steps, by the former ones; null where steps differ. @type {Map<string, Step | null>} */
  const found = new Map();
  draft.of.chain.forEach((step, index) => {
    const [before, now] = [elementOf(step), scenario.chain[index]];
    const known = found.get(before);
    found.set(before, known === undefined || (known && elementOf(known) === elementOf(now)) ? now : null);
  });
  const chain = draft.scenario.chain.map((step) => {
    const now = found.get(elementOf(step));
    return now ? { ...step, targets: now.targets, element: now.element, onto: now.onto } : step;
  });
  return { ...draft, of: scenario, scenario: { ...draft.scenario, chain } };
}

/** @param {Step} step */
function elementOf({ targets, element, onto }) {
  return JSON.stringify([targets, element, onto]);
}

/** @param {Scenario} scenario */
function withoutElements(scenario) {
  return JSON.stringify({ ...scenario, chain: scenario.chain.map(({ targets, element, onto, ...step }) => step) });
}
