// What the views use of Lit: the entry of the bundle, and its types.
export { LitElement, css, html, nothing, svg } from "lit";
export type { CSSResult } from "lit";
export { classMap } from "lit/directives/class-map.js";
export { ifDefined } from "lit/directives/if-defined.js";
export { keyed } from "lit/directives/keyed.js";
export { live } from "lit/directives/live.js";
export { createRef, ref } from "lit/directives/ref.js";
export { repeat } from "lit/directives/repeat.js";
