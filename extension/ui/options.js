/**
 * The options: pairing, the hub's port, the grants that were remembered.
 */

import { chooseFile, forgetFile, pair } from "../worker/pairing.js";
import { probe } from "../worker/probe.js";
import { rememberGrant } from "../worker/state.js";
import { byId, el } from "./dom.js";

const IMPOSTOR = {
  native: "Another program is using the port. Run `kapture doctor`.",
  file: "If the hub was restarted, it has a new key: choose the pairing file again.",
};

const status = byId("pairing-status");

/**
 * @param {"good" | "bad" | ""} tone
 * @param {string} text
 * @param {string} [hint]
 */
function showStatus(tone, text, hint = "") {
  status.className = `notice ${tone}`;
  status.replaceChildren(el("strong", {}, text), ...(hint ? [el("p", {}, hint)] : []));
}

/** Read the key, and let whoever listens on its port prove that it is the hub. */
async function check() {
  try {
    const pairing = await pair();
    const { port, source, version } = pairing;
    byId("forget").hidden = source !== "file";
    const who = await probe(pairing);
    const from = source === "file" ? "using the chosen file" : "using the installed helper";
    if (who === "hub") showStatus("good", `Paired with the hub on port ${port}, ${from}.`, version && `Hub ${version}`);
    else if (who === "nobody") showStatus("bad", `No hub answers on port ${port}.`, "Start the hub with `kapture serve`.");
    else showStatus("bad", `The program on port ${port} is not the hub that this browser is paired with.`, IMPOSTOR[source]);
  } catch (error) {
    const { message, hint } = /** @type {Error & {hint?: string}} */ (error);
    showStatus("bad", message, hint);
  }
}

async function showSites() {
  const { remembered = {} } = /** @type {any} */ (await chrome.storage.local.get("remembered"));
  const rows = Object.entries(remembered).map(([site, grant]) => {
    const { sites, level } = /** @type {import("../worker/access.js").Grant} */ (grant);
    const forget = el("button", { type: "button", "aria-label": `Forget ${site}` }, "Forget");
    forget.addEventListener("click", () => void rememberGrant(site, null).then(showSites));
    return el("li", {}, el("span", {}, el("strong", {}, site), ` · ${level} on ${sites.join(", ")}`), forget);
  });
  byId("sites-empty").hidden = rows.length > 0;
  byId("sites").replaceChildren(...rows);
}

byId("pair").addEventListener("click", () => {
  showStatus("", "Looking for the hub…");
  void check();
});

byId("forget").addEventListener("click", () => void forgetFile().then(check));

byId("file").addEventListener("change", async () => {
  const [file] = byId("file").files;
  if (!file) return;
  try {
    await chooseFile(await file.text());
  } catch (error) {
    const { message, hint } = /** @type {Error & {hint?: string}} */ (error);
    showStatus("bad", message, hint);
    return;
  }
  await check();
});

byId("address").addEventListener("submit", async (/** @type {SubmitEvent} */ submitted) => {
  submitted.preventDefault();
  const port = Number(byId("port").value);
  if (port) await chrome.storage.local.set({ port });
  else await chrome.storage.local.remove("port");
  byId("address-saved").textContent = "Saved.";
  await check();
});

byId("port").value = (await chrome.storage.local.get("port")).port ?? "";
await Promise.all([check(), showSites()]);
