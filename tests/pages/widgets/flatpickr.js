import flatpickr from "flatpickr";
import "flatpickr/dist/flatpickr.css";
import { place, report } from "./page.js";

place("flatpickr", `<label>Departure <input id="day" readonly></label><label>Meeting <input id="time"></label>`);
flatpickr("#day", { defaultDate: "2030-03-15", onChange: (_, text) => report("day", text) });
flatpickr("#time", { enableTime: true, noCalendar: true, time_24hr: true, defaultDate: "09:30", onChange: (_, text) => report("time", text) });
