/**
 * Sizes as people read them.
 */

/**
 * A size with its unit: 512 B, 1.5 kB, 2.0 MB.
 * @param {number} size bytes; negative where it is not known
 * @returns {string}
 */
export function bytes(size) {
  if (size < 0) return "–";
  if (size < 1_000) return `${size} B`;
  return size < 999_950 ? `${(size / 1_000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}
