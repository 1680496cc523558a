/**
 * The window that puts requests for a tab to the person when the popup is not open. It closes when all are answered.
 */

import { RequestsView } from "./requests.js";
import { showTheme } from "../theme.js";

await showTheme();
let asked = false;
const view = new RequestsView((open) => {
  if (asked && open === 0) {
    view.send({ do: "close" }); // it is not the person who closes it
    window.close();
  }
  asked ||= open > 0;
});
document.getElementById("requests")?.append(view.element);
