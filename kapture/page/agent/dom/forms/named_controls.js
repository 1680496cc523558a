// Whether controls clobber what their forms inherit (inherited.js). Few pages have one: on all others a reading
// of the whole page, which no script of the page can interrupt, need not ask of each element whether it is a form.

import { state } from "../../state.js";
import { FORM_PROPERTIES } from "./form_properties.js";

const { forms } = state;

/** With more forms, asking each takes longer than it saves. */
const MOST = 20;

/**
 * Do what only reads, without a pause.
 * @template T
 * @param {(Document | ShadowRoot)[]} scopes all of the page
 * @param {() => T} read
 * @returns {T}
 */
export function readAtOnce(scopes, read) {
  const found = scopes.flatMap((scope) => Array.from(scope.querySelectorAll("form")));
  forms.mayBeClobbered = found.length > MOST || found.some(isClobbered);
  try {
    return read();
  } finally {
    forms.mayBeClobbered = true;
  }
}

/** Whether a form has a property of its own in place of an inherited one. Its controls do not show it: a form keeps the earlier names of those that were renamed. @param {HTMLFormElement} form */
function isClobbered(form) {
  for (const name of FORM_PROPERTIES) if (Object.hasOwn(form, name)) return true;
  return false;
}
