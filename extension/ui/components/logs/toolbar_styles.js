/**
 * A list below a toolbar: the toolbar wraps where it is narrow, the list takes what is left.
 */

import { css } from "../../vendor/lit.js";

export const toolbarStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
  }
  .toolbar {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: 6px;
    padding: 5px 10px;
    border-bottom: 1px solid var(--line);
  }
  .toolbar input[type="search"] {
    flex: 2 1 120px;
    width: auto;
  }
  .toolbar .search {
    display: flex;
    flex: 2 1 160px; /* the count, and room to type */
    align-items: center;
    gap: 6px;
    min-width: 0;
  }
  .toolbar .search input {
    flex: 1;
    min-width: 0;
  }
  .toolbar select {
    flex: 0 1 auto;
    width: auto;
    max-width: 14ch;
    padding: 2px 4px;
  }
  .toolbar > :is(input, select, button):not([type="checkbox"]),
  .toolbar .search input {
    min-height: 24px;
    font-size: 12px;
  }
  .toolbar button {
    padding: 1px 8px;
  }
  .rows {
    flex: 1;
    min-height: 0;
    overflow: auto;
  }
`;
