import { TabulatorFull as Tabulator } from "tabulator-tables";
import "tabulator-tables/dist/css/tabulator.css";
import { place, report } from "./page.js";

const names = ["Nora", "Ali", "Mei", "Bob", "Zoe", "Ida"];
const table = new Tabulator(place("Tabulator").appendChild(document.createElement("div")), {
  data: names.map((name, id) => ({ id, name, age: 30 + ((id * 7) % 11), city: id % 2 ? "Rome" : "Oslo" })),
  layout: "fitColumns",
  height: 300,
  columns: [
    { title: "Name", field: "name", headerFilter: "input" },
    { title: "Age", field: "age", sorter: "number", editor: "number" },
    { title: "City", field: "city", editor: "list", editorParams: { values: ["Oslo", "Rome", "Lima"] } },
    { title: "Remove", formatter: () => "✕", width: 90, headerSort: false, cellClick: (_, cell) => cell.getRow().delete() },
  ],
});
table.on("dataSorted", (_, rows) => report("order", rows.map((row) => row.getData().name)));
table.on("dataFiltered", (_, rows) => report("filtered", rows.map((row) => row.getData().name)));
table.on("cellEdited", (cell) => report("edited", [cell.getData().name, cell.getField(), cell.getValue()]));
table.on("rowDeleted", (row) => report("removed", row.getData().name));
