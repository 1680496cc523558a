/**
 * The contents of a scenario's file, and changes to it.
 */

/**
 * One step of a scenario's file; docs/SCENARIOS.md describes the fields.
 * @typedef {{command?: string, check?: {kind: string, expected?: unknown}, title?: string, arguments?: Record<string, unknown>,
 *   targets?: object[], element?: object, onto?: object, timeout?: number, secret?: boolean, screenshot?: boolean}} Step
 */
/**
 * @typedef {{
 *   name: string, description?: string, tags?: string[], metadata?: {title?: string, url?: string}, secrets?: string[],
 *   dependencies?: object[], chain: Step[]
 * } & Record<string, unknown>} Scenario
 */
/**
 * One entry of a list that is edited; `key` stays while `value` changes. `was` is the value in the file.
 * @typedef {{key: number, value: Record<string, any>, was?: Record<string, any>}} Entry
 */
/**
 * Changes that are not written yet, to a scenario as it was read.
 * @typedef {{of: Scenario, scenario: Scenario, parameters: Entry[], dependencies: Entry[]}} Draft
 */

export {};
