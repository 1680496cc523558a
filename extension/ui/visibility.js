/**
 * Whether a person can see this page: it is in front, and, where it is a frame in DevTools, its panel is the one shown.
 */

/** @param {(visible: boolean) => void} onChange called with each change, and once at the start */
export function watchVisibility(onChange) {
  let inside = false;
  /** @type {boolean | null} */
  let known = null;

  function update() {
    const visible = inside && document.visibilityState === "visible";
    if (visible === known) return;
    known = visible;
    onChange(visible);
  }

  // A panel that is not shown stays "visible" as a document, but is no part of what its window shows.
  new IntersectionObserver((entries) => {
    inside = entries.at(-1)?.isIntersecting ?? false;
    update();
  }).observe(document.documentElement);
  document.addEventListener("visibilitychange", update);
}
