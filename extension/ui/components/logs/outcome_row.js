/**
 * A row of a list of commands or runs: how it ended, as a sign; and when and for how long, at the end of the row.
 */

import { css } from "../../vendor/lit.js";

export const outcomeRow = css`
  .sign {
    flex: none;
    width: 14px;
    color: var(--good);
    text-align: center;
  }
  .sign.failed {
    color: var(--bad);
  }
  .sign.cancelled {
    color: var(--quiet);
  }
  .times {
    flex: none;
    color: var(--quiet);
    font-size: var(--small);
  }
`;
