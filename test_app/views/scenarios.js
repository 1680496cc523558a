/**
 * `<kc-scenarios>`: recording on the selected tab, and the scenarios.
 */

import { LitElement, css, html } from "../ui/vendor/lit.js";
import { shared } from "../ui/components/styles.js";
import "../ui/scenarios/scenarios_view.js";
import { Following } from "../ui/components/observed.js";
import { savePart } from "../ui/components/save_file.js";

/** @typedef {import("../ui/scenarios/model/library.js").Part} Part */

export class ScenariosView extends LitElement {
  static properties = { app: { attribute: false } };
  static styles = [
    shared,
    css`
      :host {
        display: block;
        height: 100%;
        min-height: 0;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../model/app.js").App} */
    this.app = /** @type {any} */ (undefined);
    new Following(this, () => [this.app]);
  }

  connectedCallback() {
    super.connectedCallback();
    void this.app.scenarios.model.library.load();
  }

  willUpdate() {
    this.app.scenarios.follow();
  }

  render() {
    const { level } = this.app.tab ?? { level: "none" };
    const able = level === "interact" || level === "full";
    return html`<k-scenarios
      .model=${this.app.scenarios.model}
      .blocked=${able ? "" : "Choose a tab whose grant lets it be acted on."}
      .onOpenImage=${(/** @type {Part} */ part) => savePart(part, "screenshot")}
    ></k-scenarios>`;
  }
}

customElements.define("kc-scenarios", ScenariosView);
