import Quill from "quill";
import "quill/dist/quill.snow.css";
import { place, report } from "./page.js";

const editor = place("Quill").appendChild(document.createElement("div"));
const quill = new Quill(editor, { theme: "snow", placeholder: "Write here", modules: { toolbar: ["bold", "italic", { list: "bullet" }] } });
quill.on("text-change", () => report("html", quill.getSemanticHTML()));
