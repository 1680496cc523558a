// What all nodes of a snapshot need to know of the window and the page, read once.

import { rootElement } from "../dom/root.js";
import { siteOf } from "./link_urls.js";

/** @typedef {import("../dom/reading.js").Reading} Reading */
/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */

/** Values shared by all nodes of a snapshot: each read of them from the document costs as much as that of a style. */
export class View {
  /** @param {Reading} reading */
  constructor(reading) {
    this.reading = reading;
    this.site = siteOf();
    this.root = rootElement();
    this.width = innerWidth;
    this.height = innerHeight;
  }
}
