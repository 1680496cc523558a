// After an action: let the page do what it does at once.

import { peek } from "./transients.js";
import { nextTask } from "./waiting.js";

/**
 * Answers when the tasks that the action left behind have run: two rounds, for tasks that make tasks.
 * With the messages that have come and gone since the action began.
 */
export async function settle() {
  await nextTask();
  await nextTask();
  return { transients: peek() };
}
