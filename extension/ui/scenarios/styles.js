/**
 * Common styles of the views of scenarios.
 */

import { css } from "../vendor/lit.js";

export const scenarioStyles = css`
  .problem,
  .notice {
    display: grid;
    gap: 4px;
    padding: 6px 10px;
    border-radius: var(--radius);
    overflow-wrap: anywhere;
  }
  .problem {
    background: var(--bad-soft);
  }
  .problem strong {
    color: var(--bad);
  }
  .notice {
    background: var(--accent-soft);
  }
  button.icon {
    flex: none;
    min-height: 24px;
    padding: 2px 5px;
    border-color: transparent;
    background: none;
    color: var(--quiet);
  }
  button.icon:hover:not(:disabled) {
    background: var(--hover);
    color: var(--text);
  }
  .lock {
    flex: none;
    display: inline-flex;
    color: var(--ask);
    vertical-align: -2px;
  }
  label.check {
    display: inline-flex;
    align-items: baseline;
    gap: 6px;
  }
  label.check input {
    flex: none;
    margin: 0;
    translate: 0 2px;
  }
  .steps > li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 8px;
    min-height: 28px;
    padding: 2px 0;
    border-bottom: 1px solid var(--line);
  }
  .steps > li:last-child {
    border-bottom: 0;
  }
  .steps .count {
    flex: none;
    min-width: 2ch;
    color: var(--quiet);
    text-align: right;
  }
  .steps .words {
    flex: 1 1 12ch;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .steps .tools {
    display: flex;
    flex: none;
    margin-left: auto;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 6px;
  }
  .space {
    flex: 1;
  }
`;
