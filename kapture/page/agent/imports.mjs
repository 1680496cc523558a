// Which part of the agent may import which other parts. A part is a folder, or a single module next to index.js.
// tests/js/agent/agent_imports.test.js checks it, and that every module belongs to a part.

/** @type {Record<string, string[]>} */
export const MAY_IMPORT = {
  "errors.js": [],
  "state.js": [],
  // The document as it is rendered: trees, boxes, frames, texts (text/), forms whose controls clobber properties (forms/), waiting.
  dom: ["errors.js", "state.js"],
  // What an element is to assistive technology: its role (roles/), its name (names/), states, value, context.
  accessibility: ["dom", "state.js"],
  // The tree that is sent: which elements have nodes, what is clickable, and which refs pass to new elements.
  snapshot: ["accessibility", "dom", "errors.js", "state.js"],
  // Finding elements by what a client calls them.
  locate: ["snapshot", "accessibility", "dom", "errors.js"],
  // Acting: waiting until an element can be acted on (readiness/), keeping input from everything else (guards/), fields (filling/),
  // lists (options/), and what an action changes until it is over (effects/).
  act: ["picture", "locate", "snapshot", "accessibility", "dom", "errors.js", "state.js"],
  // Reading for its own sake: text, HTML, links, tables, storage, the document.
  read: ["locate", "snapshot", "accessibility", "dom", "errors.js", "state.js"],
  // What a person does, for a scenario.
  record: ["act", "locate", "snapshot", "accessibility", "dom", "state.js"],
  // What is drawn over the page, for a screenshot or for its person.
  picture: ["dom", "state.js"],
  // Tools that pages declare; a script for the page's own world.
  page_tools: [],
  "functions.js": ["act", "read", "record", "picture", "locate", "snapshot", "dom"],
  "index.js": ["functions.js", "snapshot", "accessibility", "act", "read", "record", "picture", "dom", "errors.js", "state.js"],
  // Not in the bundle.
  "build.mjs": ["form_properties.mjs", "functions.js"],
  "form_properties.mjs": ["dom"],
  "imports.mjs": [],
};
