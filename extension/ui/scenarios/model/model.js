/**
 * The model of `<k-scenarios>`, apart from its views, which it outlives.
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

  /**
   * Show what has been recorded. One that has gone may have been saved, in the page as well.
   * @param {import("./recording.js").RecordingState | null} state from the hub
   */
  showRecording(state) {
    const gone = this.recording.state !== null && state === null;
    this.recording.show(state);
    if (gone && this.library.loaded) void this.library.load();
  }
}
