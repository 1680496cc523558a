// After an action: let the page do what it does at once.

import { nextTask } from "./waiting.js";

/** Answers when the tasks that the action left behind have run: two rounds, for tasks that make tasks. */
export async function settle() {
  await nextTask();
  await nextTask();
  return null;
}
