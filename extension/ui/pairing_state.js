/**
 * Whether this browser is paired with a hub, and what is missing: the state that options and first-run page show.
 */

import { pair } from "../worker/connection/pairing.js";
import { probe } from "../worker/connection/probe.js";

const IMPOSTOR = {
  native: "Another program is using the port. Run `kapture doctor`.",
  file: "If the hub was restarted, it has a new key: choose the pairing file again.",
};

/**
 * @typedef {object} PairingState
 * @property {"good" | "bad" | "off"} tone
 * @property {string} message
 * @property {string} hint
 * @property {"native" | "file" | null} source where the key is from
 * @property {boolean} installed whether the native messaging host is there
 */

/**
 * Read the key, and let whoever listens on its port prove that it is the hub.
 * @returns {Promise<PairingState>}
 */
export async function pairingState() {
  let pairing;
  try {
    pairing = await pair();
  } catch (error) {
    const { message, hint = "", code } = /** @type {Error & {hint?: string, code?: string}} */ (error);
    if (code !== "NO_HUB") return { tone: "bad", message, hint, source: null, installed: code !== "NO_HOST" };
    const starts = "That is fine: Connect starts one, and so does every MCP client that uses Kapture.";
    return { tone: "good", message: "Paired. No hub is running now.", hint: starts, source: "native", installed: true };
  }
  const { port, source, version } = pairing;
  const from = source === "file" ? "through the chosen file" : "through the installed helper";
  const who = await probe(pairing);
  const state = { source, installed: true };
  const found = `Paired with the hub on port ${port}, ${from}.`;
  if (who === "hub") return { ...state, tone: "good", message: found, hint: version && `Hub ${version}.` };
  if (who === "nobody") return { ...state, tone: "bad", message: `No hub answers on port ${port}.`, hint: "Start one with `kapture serve`." };
  const message = `The program on port ${port} is not the hub that this browser is paired with.`;
  return { ...state, tone: "bad", message, hint: IMPOSTOR[source] };
}
