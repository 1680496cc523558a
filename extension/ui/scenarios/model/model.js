/**
 * What `<k-scenarios>` shows and does, apart from its views, so that it outlives them.
 */

import { Library } from "./library.js";
import { Recording } from "./recording.js";
import { Run } from "./run.js";

export class ScenarioModel {
  /** @param {import("./library.js").Call} call runs a command on the tab that is shown */
  constructor(call) {
    this.library = new Library(call);
    this.run = new Run(call);
    this.recording = new Recording(call);
  }
}
