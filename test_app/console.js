/** The Console: choose a tab and a command, give parameters, see what comes back and how long it took. */

import { connect } from "./mcp_client.js";

/** @template {Element} T @param {string} id @param {new () => T} type @returns {T} */
function byId(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`#${id} is missing`);
  return element;
}

const status = byId("status", HTMLElement);
const tab = byId("tab", HTMLSelectElement);
const tool = byId("tool", HTMLSelectElement);
const parameters = byId("parameters", HTMLTextAreaElement);
const answer = byId("answer", HTMLElement);
const button = byId("call", HTMLFormElement).querySelector("button");
/** @type {Map<string, any>} */
const tools = new Map();

/** @param {string} text @param {boolean} failed */
function show(text, failed) {
  answer.textContent = text;
  answer.dataset.failed = String(failed);
}

/** @param {any} schema */
function example(schema) {
  const names = (schema.required ?? []).filter((/** @type {string} */ name) => name !== "tabId");
  return JSON.stringify(Object.fromEntries(names.map((/** @type {string} */ name) => [name, ""])), null, 2);
}

function choose() {
  const chosen = tools.get(tool.value);
  byId("about", HTMLElement).textContent = chosen.description;
  parameters.value = example(chosen.inputSchema);
  parameters.title = Object.keys(chosen.inputSchema.properties).join(", ");
}

async function start() {
  const client = await connect();
  status.textContent = `Connected to ${location.host}`;
  client.socket.addEventListener("close", () => {
    status.textContent = "The hub has gone. Run `kapture console` again.";
    if (button) button.disabled = true;
  });

  async function listTabs() {
    const { structuredContent } = await client.request("tools/call", { name: "kapturemcp_list_tabs", arguments: {} });
    const chosen = tab.value;
    tab.replaceChildren(
      ...structuredContent.tabs.map((/** @type {any} */ row) => new Option(`${row.title || row.url} (${row.tabId})`, row.tabId)),
    );
    if (!tab.options.length) tab.append(new Option("No tab is connected", ""));
    tab.value = chosen || tab.options[0].value;
  }

  async function listTools() {
    const chosen = tool.value;
    tools.clear();
    for (const each of (await client.request("tools/list")).tools) tools.set(each.name, each);
    tool.replaceChildren(...Array.from(tools.keys(), (name) => new Option(name.replace("kapturemcp_", ""), name)));
    tool.value = tools.has(chosen) ? chosen : "kapturemcp_snapshot";
    if (tool.value !== chosen) choose();
  }

  async function run() {
    const properties = tools.get(tool.value).inputSchema.properties;
    const given = JSON.parse(parameters.value || "{}");
    const began = performance.now();
    const result = await client.request("tools/call", {
      name: tool.value,
      arguments: properties.tabId ? { tabId: tab.value, ...given } : given,
    });
    byId("took", HTMLElement).textContent = `${(performance.now() - began).toFixed(1)} ms`;
    const texts = result.content.filter((/** @type {any} */ part) => part.type === "text");
    show(texts.map((/** @type {any} */ part) => part.text).join("\n"), Boolean(result.isError));
    byId("images", HTMLElement).replaceChildren(
      ...result.content
        .filter((/** @type {any} */ part) => part.type === "image")
        .map((/** @type {any} */ part) => Object.assign(new Image(), { src: `data:${part.mimeType};base64,${part.data}`, alt: "screenshot" })),
    );
  }

  client.onNotification = (method) => {
    if (method.startsWith("notifications/resources/")) void listTabs();
    if (method === "notifications/tools/list_changed") void listTools();
  };
  await client.request("resources/subscribe", { uri: "kapture://tabs" });
  await Promise.all([listTabs(), listTools()]);
  if (button) button.disabled = false;
  tool.addEventListener("change", choose);
  byId("call", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    run().catch((error) => show(error.message, true));
  });
}

start().catch((error) => {
  status.textContent = error.message;
});
