// An element during an action whose page renders it anew at each input.

import { nameOf } from "../../accessibility/names/accname.js";
import { roleOf } from "../../accessibility/roles/roles.js";
import { presentElement } from "../../snapshot/snapshot.js";
import { retained, wasRetained } from "../../dom/handles.js";
import { Reading } from "../../dom/reading.js";
import { refNumber } from "../../dom/refs.js";
import { findElements } from "../../locate/targets.js";
import { state } from "../../state.js";

/**
 * The element of a handle, or the equal one that has taken its place; throws if there is none.
 * @param {number} handle
 */
export function retainedOrReplaced(handle) {
  const element = wasRetained(handle);
  const ref = element && !element.isConnected ? refNumber(element) : undefined;
  return ref === undefined ? retained(handle) : presentElement(ref);
}

/**
 * The same, or else the only element with the role and name that it had: those of `rememberCalled`, unless they are
 * given. Of an element that no snapshot has shown it is not known what was around it.
 * @param {number} handle
 * @param {{ role: string, name: string }} [called]
 */
export function retainedOrAlone(handle, called) {
  try {
    return retainedOrReplaced(handle);
  } catch (error) {
    const element = wasRetained(handle);
    const { role, name } = called ?? (element && state.calledBefore.get(element)) ?? { role: "", name: "" };
    const found = name ? findElements({ role, name, exact: true }, new Reading()) : [];
    if (found.length !== 1) throw error;
    return found[0];
  }
}

/**
 * Whether an element is that of a handle, or has taken its place for certain: nothing may be written into another one.
 * @param {number} handle
 * @param {Element} element
 */
export function isThatOf(handle, element) {
  const was = wasRetained(handle);
  return element === was || (was !== undefined && refNumber(was) !== undefined && refNumber(was) === refNumber(element));
}

/**
 * Remember role and name of an element that the page may render anew.
 * @param {Element} element
 * @param {Reading} reading
 */
export function rememberCalled(element, reading) {
  state.calledBefore.set(element, { role: roleOf(element, reading), name: nameOf(element, reading) });
}
