/**
 * The source of the key: the native messaging host that `kapture install-host` registers, or else the pairing file that
 * the person chose in the options. Read for every connection, because every start of the hub makes a new key.
 */

import { importKey } from "./proof.js";
import { setting } from "../settings.js";

const NATIVE_HOST = "dev.kapture.hub";
const CHOSEN_FILE = "pairingFile";

/** @typedef {{sites: string[], level: "read" | "interact" | "full"}} Grant */
/** @typedef {{grant: Grant}} Launch the grant of every tab in a browser that `kapture launch` started */
/** @typedef {{port: number, key: CryptoKey, version: string, source: "native" | "file", launch: Launch | null}} Pairing */

export class PairingError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {string} hint
   * @param {Launch | null} [launch] what the host says of this browser all the same; undefined where nothing was said
   */
  constructor(code, message, hint, launch) {
    super(message);
    this.name = "PairingError";
    this.code = code;
    this.hint = hint;
    this.launch = launch;
  }
}

/**
 * @param {boolean} [startHub] start a hub if none runs
 * @returns {Promise<Pairing>} rejects with `PairingError`
 */
export async function pair(startHub = false) {
  try {
    return await pairByHost(startHub);
  } catch (error) {
    const chosen = await chosenFile();
    if (chosen) return take(chosen, "file");
    throw error;
  }
}

/**
 * Ask the native messaging host.
 * @param {boolean} [startHub]
 * @returns {Promise<Pairing>}
 */
export async function pairByHost(startHub = false) {
  let answer;
  try {
    answer = await chrome.runtime.sendNativeMessage(NATIVE_HOST, { type: startHub ? "start" : "pair" });
  } catch (error) {
    throw hostFailure(/** @type {Error} */ (error).message);
  }
  if (answer?.error) {
    const { code = "NO_HUB", message = "No hub is running.", hint } = answer.error;
    throw new PairingError(String(code), String(message), String(hint ?? "Start the hub with `kapture serve`."), answer.launch);
  }
  return take(answer, "native");
}

/**
 * Keep the pairing file that the person chose until the browser ends. The key is never written to disk.
 * @param {string} text the file's text
 */
export async function chooseFile(text) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    throw new PairingError("BAD_FILE", "This file is not JSON.", "Choose hub.json in Kapture's data folder.");
  }
  await take(content, "file");
  const { port, key, version } = content;
  await chrome.storage.session.set({ [CHOSEN_FILE]: { port, key, version } });
}

export async function forgetFile() {
  await chrome.storage.session.remove(CHOSEN_FILE);
}

/** @returns {Promise<any>} */
async function chosenFile() {
  return (await chrome.storage.session.get(CHOSEN_FILE))[CHOSEN_FILE];
}

/**
 * @param {any} content
 * @param {"native" | "file"} source
 * @returns {Promise<Pairing>}
 */
async function take(content, source) {
  const { port, key, version, launch } = content ?? {};
  const fixed = await setting("port");
  if (!Number.isInteger(port) || port < 1 || port > 65_535 || typeof key !== "string") {
    throw new PairingError("BAD_FILE", "This is not a Kapture pairing file.", "Choose hub.json in Kapture's data folder.");
  }
  // A program on another port could relay the proof between the hub and this tab, and read what follows.
  if (fixed && fixed !== port) {
    throw new PairingError(
      "OTHER_PORT",
      `The hub is on port ${port}, and Kapture's options say ${fixed}.`,
      `Clear the port in the options, or start the hub with \`kapture serve --port ${fixed}\`.`,
    );
  }
  try {
    return {
      port,
      key: await importKey(key),
      version: String(version ?? ""),
      source,
      launch: launch ?? null,
    };
  } catch {
    throw new PairingError("BAD_FILE", "The key in the pairing file is not valid.", "Restart the hub, and pair again.");
  }
}

/**
 * @param {string} message what Chrome says
 * @returns {PairingError}
 */
function hostFailure(message) {
  if (/not found/i.test(message)) {
    return new PairingError(
      "NO_HOST",
      "This browser is not paired with a hub yet.",
      "Run `kapture setup` once, or choose the pairing file in Kapture's options.",
    );
  }
  if (/forbidden/i.test(message)) {
    return new PairingError(
      "HOST_FORBIDDEN",
      "The installed pairing helper is for another extension.",
      "Run `kapture install-host` again.",
    );
  }
  return new PairingError(
    "HOST_FAILED",
    `The pairing helper failed: ${message}`,
    "Run `kapture doctor`, or choose the pairing file in Kapture's options.",
  );
}
