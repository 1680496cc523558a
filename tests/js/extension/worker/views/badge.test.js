import assert from "node:assert/strict";
import { test } from "node:test";

import { lookOf } from "../../../../../extension/worker/views/badge.js";

/** @param {{connected?: boolean, questions?: number, handedOver?: boolean, paused?: boolean, connection?: string, running?: object[], reason?: object, granted?: boolean, held?: boolean}} state @returns {any} */
function tab({ connected = true, questions = 0, handedOver = false, paused = false, connection = "ready", running = [], reason = undefined, granted = true, held = false } = {}) {
  return {
    saved: { connected },
    approvals: { open: { size: questions } },
    handOver: { open: handedOver ? {} : null },
    attachment: { paused },
    running,
    pauses: { clients: held ? ["claude"] : [], everywhere: false },
    connection: { state: connection, reason: reason ?? null },
    access: { allows: () => granted },
  };
}

/** @type {[string, any, boolean, string][]} */
const LOOKS = [
  ["a tab that nobody connected", null, false, "off"],
  ["a tab that could not be connected", null, true, "failed"],
  ["a disconnected tab", tab({ connected: false }), false, "off"],
  ["a connected tab", tab(), false, "on"],
  ["a tab that a command runs on", tab({ running: [{ command: "click", client: "claude" }] }), false, "working"],
  ["a tab whose person has stopped a client", tab({ held: true }), false, "held"],
  ["a tab with a question", tab({ questions: 1 }), false, "question"],
  ["a tab that its person has to themselves", tab({ handedOver: true }), false, "question"],
  ["a paused tab", tab({ paused: true }), false, "paused"],
  ["a tab outside its grant", tab({ granted: false }), false, "outside"],
  ["a tab that waits to reconnect", tab({ connection: "waiting" }), false, "failed"],
  ["a tab that tries again, after a failure that is shown", tab({ connection: "pairing", reason: { message: "No hub." } }), false, "failed"],
  ["a tab that is connecting", tab({ connection: "proving" }), false, "busy"],
];

for (const [what, state, failed, look] of LOOKS) {
  test(`${what} looks ${look}`, () => assert.equal(lookOf(state, failed), look));
}
