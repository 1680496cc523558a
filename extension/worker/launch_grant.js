/**
 * The grant of `kapture launch` for the tabs of a browser that it has started.
 */

import { pairByHost } from "./connection/pairing.js";
import * as state from "./state.js";

/**
 * Asked once in a browser's run: whether `kapture launch` started it. If so every tab connects without Connect.
 * @returns {Promise<import("./gate/access.js").Grant | null>} null: a person's own browser
 */
export async function launchGrant() {
  const known = await state.loadLaunch();
  if (known.asked) return known.grant;
  let grant;
  try {
    const { launch } = await pairByHost();
    grant = launch?.grant ?? null;
  } catch (error) {
    // Without an answer this is a person's own browser, where tabs wait for Connect. The host of a launched one
    // answers even if no hub is running yet: its tabs connect when one starts.
    const { code, launch } = /** @type {import("./connection/pairing.js").PairingError} */ (error);
    if (code === "NO_HUB" && launch === undefined) return null;
    grant = launch?.grant ?? null;
  }
  await state.saveLaunch(grant);
  return grant;
}
