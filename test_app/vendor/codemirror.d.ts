// What the Console uses of CodeMirror; also what is bundled.
export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion } from "@codemirror/autocomplete";
export type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { json } from "@codemirror/lang-json";
export { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting, syntaxTree } from "@codemirror/language";
export { linter, lintKeymap } from "@codemirror/lint";
export type { Diagnostic } from "@codemirror/lint";
export { EditorState } from "@codemirror/state";
export { EditorView, drawSelection, highlightActiveLine, keymap, placeholder } from "@codemirror/view";
export { tags } from "@lezer/highlight";
