// What an action has changed that a snapshot does not show: pictures, the markup of an editor, classes and styles.

import { changedMarkup } from "./markup.js";
import { changedPicture } from "./pictures.js";
import { restyled } from "./transients.js";

/**
 * What looks different since the action began.
 * @param {Element | null} element what was acted on
 */
export function changedAppearance(element) {
  const drawn = [...changedPicture(), ...changedMarkup()];
  return [...drawn, ...restyled(element).filter((one) => drawn.length === 0 || !("elsewhere" in one))];
}
