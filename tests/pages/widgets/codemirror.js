import { javascript } from "@codemirror/lang-javascript";
import { EditorView, basicSetup } from "codemirror";
import { place, report } from "./page.js";

new EditorView({
  parent: place("CodeMirror"),
  doc: "const a = 1;\nconst b = 2;\n",
  extensions: [
    basicSetup,
    javascript(),
    EditorView.contentAttributes.of({ "aria-label": "Source" }),
    EditorView.updateListener.of((update) => update.docChanged && report("source", update.state.doc.toString())),
  ],
});
