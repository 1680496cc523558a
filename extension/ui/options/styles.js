/** The common look of the sections of the options. */

import { css } from "../vendor/lit.js";

export const section = css`
  :host {
    display: grid;
    gap: 10px;
  }
  h2 {
    color: var(--text);
    font-size: 15px;
  }
  h2:not(:first-of-type) {
    margin-top: 14px;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
  }
  .note {
    display: grid;
    gap: 4px;
    padding: 10px 12px;
    border-radius: var(--radius);
    background: var(--raised);
    overflow-wrap: anywhere;
  }
  k-prose.small {
    font-size: var(--small);
  }
  .note.good {
    background: var(--good-soft);
  }
  .note.bad {
    background: var(--bad-soft);
  }
  .note.bad *,
  .note.good * {
    color: var(--text);
  }
  .field {
    display: grid;
    grid-template-columns: minmax(120px, 190px) minmax(0, 1fr);
    align-items: center;
    gap: 4px 12px;
  }
  .field select,
  .field input[type="number"] {
    width: auto;
    max-width: 240px;
    justify-self: start;
  }
  .field .help {
    grid-column: 2;
    color: var(--quiet);
    font-size: var(--small);
  }
  @media (max-width: 460px) {
    .field {
      grid-template-columns: minmax(0, 1fr);
    }
    .field .help {
      grid-column: 1;
    }
  }
`;
