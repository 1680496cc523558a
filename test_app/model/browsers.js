/**
 * The browsers that are connected, as the Status view lists them.
 */

/** @typedef {{name: string, version: string, extension: string, authenticatedBy: string, tabs: number}} Browser a row of `status` */

/**
 * Browsers that are called the same in one row: a tab that executes commands itself is a browser of its own.
 * @param {readonly Browser[]} browsers
 * @returns {(Browser & {count: number})[]}
 */
export function sameBrowsers(browsers) {
  /** @type {Map<string, Browser & {count: number}>} */
  const rows = new Map();
  for (const { name, version, extension, authenticatedBy, tabs } of browsers) {
    const key = JSON.stringify([name, version, extension, authenticatedBy]);
    const { tabs: before, count } = rows.get(key) ?? { tabs: 0, count: 0 };
    rows.set(key, { name, version, extension, authenticatedBy, tabs: before + tabs, count: count + 1 });
  }
  return [...rows.values()];
}
