/**
 * Rows of the Status view: a sign, what it is about, and more of it below.
 */

import { css } from "../../ui/vendor/lit.js";

export const statusRows = css`
  li {
    display: grid;
    grid-template-columns: 16px minmax(0, 1fr);
    gap: 2px 8px;
    padding: 5px 0;
    overflow-wrap: anywhere;
  }
  li + li {
    border-top: 1px solid color-mix(in srgb, var(--line) 60%, transparent);
  }
  li > :nth-child(n + 3) {
    grid-column: 2;
  }
  .good {
    color: var(--good);
  }
  .warn {
    color: var(--warn);
  }
`;
