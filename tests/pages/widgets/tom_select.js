import TomSelect from "tom-select";
import "tom-select/dist/css/tom-select.css";
import { place, report } from "./page.js";

const fruit = ["Apple", "Banana", "Cherry", "Damson", "Elderberry", "Fig"];
const options = fruit.map((one) => `<option>${one}</option>`).join("");
place(
  "Tom Select",
  `<label for="one">Favourite</label><select id="one"><option value="">Choose…</option>${options}</select>
  <label for="many">Basket</label><select id="many" multiple>${options}</select>`,
);
new TomSelect("#one", { onChange: (value) => report("one", value) });
new TomSelect("#many", { plugins: ["remove_button"], onChange: (value) => report("many", value) });
