// Runs the tests of JavaScript: the files that are named, or all of them. Each is as alone as in a process of its own, with its
// own globals and modules, but in a thread, which starts in half the time. What a file that fails has written is shown.

import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

/** Every test file. */
function all() {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".test.js")).map((file) => join(folder, file));
}

/** Run a file to its end. Returns what it has written if it fails, nothing else. @param {string} file */
function failure(file) {
  const worker = new Worker(resolve(file), { stdout: true, stderr: true });
  /** @type {string[]} */
  const written = [];
  for (const stream of [worker.stdout, worker.stderr]) stream.setEncoding("utf8").on("data", (text) => written.push(text));
  worker.on("error", (error) => written.push(`${error.stack ?? error}\n`));
  return new Promise((done) => worker.on("exit", (code) => done(code === 0 ? "" : `${file} failed:\n${written.join("")}`)));
}

const named = process.argv.slice(2);
const waiting = named.length ? named : all();

async function runWaiting() {
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const failed = await failure(file);
    if (!failed) continue;
    process.exitCode = 1;
    console.log(failed);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
