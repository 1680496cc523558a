// A Puppeteer script for tests/e2e/test_cdp_endpoint.py: `node puppeteer_script.mjs ADDRESS URL [--stay]`.
// `--stay`: it attaches, gives the page another size, keeps it busy, says so, and stays.
import assert from "node:assert/strict";

import puppeteer from "puppeteer-core";

const [address, url, mode] = process.argv.slice(2);
const browser = await puppeteer.connect({ browserWSEndpoint: address, defaultViewport: null });
const pages = await browser.pages();
assert.deepEqual(
  pages.map((page) => page.url()),
  [url],
);
const page = pages[0];
if (mode === "--stay") {
  await page.setViewport({ width: 400, height: 300 });
  assert.equal(await page.evaluate("innerWidth"), 400);
  void page.evaluate("for (;;);");
  await browser.version(); // by its answer the hub has taken what was sent before
  console.log("attached");
  await new Promise(() => setInterval(() => {}, 1_000));
}

await page.locator("#name").fill("Ada");
await page.select("#colour", "green");
await page.locator("#send").click();
await page.waitForFunction(() => document.querySelector("#out").textContent.startsWith("Ada green"));

const frame = await page.waitForFrame((one) => one.url().endsWith("/frame"));
await frame.locator("button").click();
await frame.waitForFunction(() => document.querySelector("button").textContent === "pressed");

await page.setRequestInterception(true);
const mock = (request) => (request.url().endsWith("/data") ? request.respond({ body: "mocked" }) : request.continue());
page.on("request", mock);
assert.equal(await page.evaluate(() => fetch("/data").then((answer) => answer.text())), "mocked");
page.off("request", mock);
await page.setRequestInterception(false);
const [response] = await Promise.all([
  page.waitForResponse((one) => one.url().endsWith("/data")),
  page.evaluate(() => fetch("/data").then((answer) => answer.text())),
]);
assert.equal(await response.text(), "real");

const picture = await page.screenshot();
assert.equal(Buffer.from(picture).subarray(1, 4).toString(), "PNG");

const session = await page.createCDPSession();
const contexts = [];
session.on("Runtime.executionContextCreated", ({ context }) => contexts.push(context));
await session.send("Runtime.enable");
const main = contexts.find((one) => one.auxData.isDefault && one.origin === new URL(url).origin);
const title = { expression: "document.title", contextId: main.id };
assert.equal((await session.send("Runtime.evaluate", title)).result.value, "Form");
await session.send("Network.enable");
const requested = new Promise((resolve) => session.once("Network.requestWillBeSent", resolve));
await page.evaluate(() => fetch("/data").then((answer) => answer.text()));
assert.equal((await requested).request.url, `${url}data`);
await session.detach();
await Promise.all([
  page.waitForResponse((one) => one.url().endsWith("/data")),
  page.evaluate(() => fetch("/data").then((answer) => answer.text())),
]);

const fresh = await browser.newPage();
await fresh.goto(`${url}second`);
assert.equal(await fresh.title(), "Second");
await fresh.close();

await assert.rejects(browser.createBrowserContext(), /default one/);
await browser.disconnect();
console.log("done");
