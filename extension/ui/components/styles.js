/**
 * The common look of all components: type, focus, controls. Colours come from tokens.css, which reaches into shadow roots.
 */

import { css } from "../vendor/lit.js";

export const shared = css`
  :host {
    display: block;
    box-sizing: border-box;
    min-width: 0;
    color: var(--text);
    font: var(--size) / 1.45 var(--font);
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
    scrollbar-width: thin;
    scrollbar-color: var(--control-line) transparent;
  }
  p,
  ul,
  ol,
  dl,
  dd,
  h2,
  h3,
  pre,
  fieldset {
    margin: 0;
    padding: 0;
    border: 0;
    min-width: 0;
  }
  ul,
  ol {
    list-style: none;
  }
  h2,
  h3 {
    font-size: var(--small);
    font-weight: 650;
    color: var(--quiet);
  }
  code,
  pre,
  .mono {
    font-family: var(--mono);
    font-size: 0.93em;
  }
  a {
    color: var(--accent);
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }
  .quiet {
    color: var(--quiet);
  }
  .small {
    font-size: var(--small);
  }
  .bad {
    color: var(--bad);
  }
  .cut {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .cut[dir="auto"] {
    text-align: left;
  }
  .number {
    font-variant-numeric: tabular-nums;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  /* High contrast takes the backgrounds away: what is selected has the system's own. */
  @media (forced-colors: active) {
    :is([aria-selected="true"], [aria-current="true"], [aria-pressed="true"]) {
      forced-color-adjust: none;
      background: SelectedItem !important;
      color: SelectedItemText !important;
    }
    :is([aria-selected="true"], [aria-current="true"]) * {
      color: inherit !important;
    }
  }
`;

export const controls = css`
  button,
  input,
  select,
  textarea {
    margin: 0;
    color: inherit;
    font: inherit;
  }
  button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 6px;
    min-height: 26px;
    padding: 2px 12px;
    border: 1px solid var(--control-line);
    border-radius: 6px;
    background: var(--ground);
    white-space: nowrap;
    cursor: pointer;
  }
  button:hover:not(:disabled) {
    background: var(--hover);
  }
  button:disabled,
  button[aria-disabled="true"] {
    opacity: 0.55;
    cursor: default;
  }
  button.primary {
    border-color: transparent;
    background: var(--accent);
    color: var(--accent-text);
    font-weight: 600;
  }
  button.primary:hover:not(:disabled) {
    background: color-mix(in srgb, var(--accent) 88%, var(--text));
  }
  button.danger {
    color: var(--bad);
  }
  button.plain {
    min-height: 24px;
    padding: 1px 6px;
    border-color: transparent;
    background: none;
    color: var(--accent);
  }
  button.plain:hover:not(:disabled) {
    background: var(--hover);
  }
  button[aria-pressed="true"] {
    background: var(--accent-soft);
    color: var(--accent);
  }
  input:not([type="checkbox"], [type="radio"], [type="range"]),
  select,
  textarea {
    width: 100%;
    min-width: 0;
    min-height: 26px;
    padding: 2px 8px;
    border: 1px solid var(--control-line);
    border-radius: 6px;
    background: var(--ground);
  }
  textarea {
    display: block;
    field-sizing: content;
    max-height: 16em;
    resize: vertical;
  }
  :is(input, select, textarea)[aria-invalid="true"] {
    border-color: var(--bad);
  }
  ::placeholder {
    color: var(--quiet);
    opacity: 1;
  }
  input[type="checkbox"],
  input[type="radio"] {
    accent-color: var(--accent);
  }
  label {
    cursor: pointer;
  }
`;
