/**
 * Sizes as people read them.
 */

/**
 * @param {number} size bytes; negative where it is not known
 * @returns {string}
 */
export function bytes(size) {
  if (size < 0) return "–";
  if (size < 1_000) return `${size} B`;
  return size < 999_950 ? `${(size / 1_000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
