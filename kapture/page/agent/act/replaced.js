// An element during an action whose page renders it anew at each input.

import { presentElement } from "../accessibility/snapshot.js";
import { retained, wasRetained } from "../dom/handles.js";
import { refNumber } from "../dom/refs.js";

/**
 * The element of a handle, or the equal one that has taken its place; throws if there is none.
 * @param {number} handle
 */
export function retainedOrReplaced(handle) {
  const element = wasRetained(handle);
  const ref = element && !element.isConnected ? refNumber(element) : undefined;
  return ref === undefined ? retained(handle) : presentElement(ref);
}
