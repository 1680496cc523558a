// Which part of the agent may import which other parts. A part is a folder, or a single module next to index.js.
// tests/js/agent/agent_imports.test.js checks it, and that every module belongs to a part.

/** @type {Record<string, string[]>} */
export const MAY_IMPORT = {
  "errors.js": [],
  "state.js": [],
  dom: ["errors.js", "state.js"],
  accessibility: ["dom", "state.js"],
  snapshot: ["accessibility", "dom", "errors.js", "state.js"],
  locate: ["snapshot", "accessibility", "dom", "errors.js"],
  act: ["locate", "snapshot", "accessibility", "dom", "errors.js", "state.js"],
  read: ["locate", "snapshot", "accessibility", "dom", "errors.js", "state.js"],
  record: ["act", "locate", "snapshot", "accessibility", "dom", "state.js"],
  picture: ["dom", "state.js"],
  page_tools: [],
  "functions.js": ["act", "read", "record", "picture", "locate", "snapshot", "dom"],
  "index.js": ["functions.js", "snapshot", "accessibility", "act", "read", "record", "dom", "errors.js", "state.js"],
  // Not in the bundle.
  "build.mjs": ["form_properties.mjs", "functions.js"],
  "form_properties.mjs": ["dom"],
  "imports.mjs": [],
};
