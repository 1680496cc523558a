/**
 * Why something was not done, as the views of scenarios say it.
 */

import "../components/prose.js";
import { html } from "../vendor/lit.js";

/** @param {import("./model/library.js").Problem | null} problem */
export function problemText(problem) {
  if (!problem) return "";
  const { code, message, hint } = problem;
  return html`<div class="problem" role="alert">
    ${code ? html`<strong class="small">${code}</strong>` : ""}
    <k-prose .text=${message}></k-prose>
    ${hint ? html`<k-prose .text=${hint}></k-prose>` : ""}
  </div>`;
}
