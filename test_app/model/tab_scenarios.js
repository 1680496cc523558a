/**
 * Scenarios in the Console: commands go to the tab that is selected, and its recording is shown.
 */

import { ScenarioModel } from "../ui/scenarios/model/model.js";

/** @typedef {import("../ui/scenarios/model/library.js").Problem} Problem */

/** Commands that work on a tab. */
const ON_TAB = new Set(["run_scenario", "record_start", "record_stop", "record_edit", "record_save"]);

export class TabScenarios {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.model = new ScenarioModel(async (command, params, options) => {
      const { error, text, data, parts } = await app.call(command, ON_TAB.has(command) ? { tabId: app.tabId, ...params } : params, options);
      if (error) throw /** @type {Problem} */ (error);
      return { text, data, parts };
    });
  }

  /** Show the recording of the tab that is selected now. */
  follow() {
    const state = this.app.live.recordings.get(this.app.tabId) ?? null;
    if (state !== this.model.recording.state) this.model.showRecording(state);
  }
}
