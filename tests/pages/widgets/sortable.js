import Sortable from "sortablejs";
import { place, report } from "./page.js";

const items = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"];
place(
  "SortableJS",
  `<style>#tiles { width: 330px; padding: 0 } #tiles li { float: left; width: 100px; height: 60px; margin: 2px; list-style: none; background: #ddd }
    #lists { display: flex; gap: 40px; clear: both; padding-top: 20px } #lists ul { width: 150px; min-height: 80px; background: #eee }</style>
  <ul id="rows">${items.map((one) => `<li>${one}</li>`).join("")}</ul>
  <ul id="tiles">${items.map((one) => `<li>Tile ${one}</li>`).join("")}</ul>
  <div id="lists"><ul id="todo"><li>Write</li><li>Test</li></ul><ul id="done"><li>Plan</li></ul></div>`,
);

/** @param {string} id @param {object} [options] */
function sortable(id, options = {}) {
  const list = /** @type {HTMLElement} */ (document.getElementById(id));
  const tell = () => report(id, [...list.children].map((one) => one.textContent));
  Sortable.create(list, { animation: 150, onSort: tell, ...options });
}

sortable("rows");
sortable("tiles", { forceFallback: true });
sortable("todo", { group: "shared" });
sortable("done", { group: "shared" });
