import { Calendar } from "@fullcalendar/core";
import dayGrid from "@fullcalendar/daygrid";
import interaction from "@fullcalendar/interaction";
import { place, report } from "./page.js";

const calendar = new Calendar(place("FullCalendar").appendChild(document.createElement("div")), {
  plugins: [dayGrid, interaction],
  initialDate: "2030-06-12",
  height: 560,
  editable: true,
  events: [
    { title: "Dentist", start: "2030-06-05" },
    { title: "Review", start: "2030-06-19" },
  ],
  dateClick: ({ dateStr }) => report("day", dateStr),
  eventClick: ({ event }) => report("opened", event.title),
  eventDrop: ({ event }) => report("moved", [event.title, event.startStr]),
  datesSet: ({ view }) => report("shown", view.title),
});
calendar.render();
