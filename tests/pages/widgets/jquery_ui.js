import "jquery-ui/themes/base/all.css";
import $ from "./jquery_global.js";
import "jquery-ui/dist/jquery-ui.js";
import { place, report } from "./page.js";

place(
  "jQuery UI",
  `<label>Travel date <input id="date"></label>
  <label>City <input id="city"></label>
  <p id="volume-label">Volume</p><div id="volume" aria-labelledby="volume-label"></div>
  <ul id="tasks"><li>Wash up</li><li>Cook</li><li>Shop</li></ul>
  <div id="tabs"><ul><li><a href="#one">First</a></li><li><a href="#two">Second</a></li></ul>
    <div id="one">Nothing here</div><div id="two">The second panel</div></div>
  <button id="ask">Delete account</button><div id="dialog" title="Really?">This cannot be undone.</div>`,
);

$("#date").datepicker({ dateFormat: "yy-mm-dd", defaultDate: "2030-05-10", onSelect: (text) => report("date", text) });
$("#city").autocomplete({ source: ["Lisbon", "London", "Lyon"], select: (_, { item }) => report("city", item.value) });
$("#volume").slider({ value: 20, step: 5, change: (_, { value }) => report("volume", value) });
$("#tasks").sortable({ update: () => report("tasks", $("#tasks li").map((_, one) => one.textContent).get()) });
$("#tabs").tabs({ activate: (_, { newPanel }) => report("tab", newPanel.attr("id")) });
$("#dialog").dialog({
  autoOpen: false,
  modal: true,
  buttons: {
    Delete() {
      report("deleted", true);
      $(this).dialog("close");
    },
    Keep() {
      $(this).dialog("close");
    },
  },
});
$("#ask").on("click", () => $("#dialog").dialog("open"));
