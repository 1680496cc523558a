/**
 * How a form looks: labels above the fields where it is narrow, beside them where there is room.
 */

import { css } from "../../vendor/lit.js";

export const formStyles = css`
  :host {
    container-type: inline-size;
  }
  form {
    display: grid;
    gap: 8px;
  }
  .field {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 2px 12px;
  }
  .label {
    color: var(--quiet);
    overflow-wrap: anywhere;
  }
  .label::first-letter {
    text-transform: uppercase;
  }
  .required {
    margin-left: 2px;
    color: var(--bad);
  }
  .control {
    display: flex;
    align-items: center;
    gap: 6px;
    min-width: 0;
    min-height: 26px;
  }
  .number input,
  .enum select {
    max-width: 22ch;
  }
  .unit {
    color: var(--quiet);
    font-size: var(--small);
  }
  .choices {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 14px;
  }
  .choices label {
    display: inline-flex;
    align-items: center;
    gap: 4px;
  }
  .choices input,
  .boolean input {
    margin: 0;
  }
  .control > button {
    flex: none;
    padding: 2px 8px;
  }
  .boolean {
    grid-template-columns: auto minmax(0, 1fr);
    align-items: center;
  }
  .boolean .control {
    order: -1;
  }
  .boolean .help {
    grid-column: 2;
  }
  @container (min-width: 440px) {
    .field {
      grid-template-columns: minmax(90px, 130px) minmax(0, 1fr);
    }
    .field > .label {
      padding-top: 3px;
    }
    .field > .help,
    .boolean .help {
      grid-column: 2;
    }
    .boolean .control {
      order: 0;
    }
  }
`;
