// A Puppeteer script for tests/e2e/test_cdp_endpoint.py: `node puppeteer_script.mjs ADDRESS URL [--stay | --one-session]`.
// `--stay`: it only attaches, says so, and stays. `--one-session`: a tab gives a script no second session.
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
  await page.title();
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

if (mode === "--one-session") {
  await assert.rejects(page.createCDPSession(), /one debugger session a tab/);
} else {
  const session = await page.createCDPSession();
  const { result } = await session.send("Runtime.evaluate", { expression: "document.title" });
  assert.equal(result.value, "Form");
  await session.detach();
}

const fresh = await browser.newPage();
await fresh.goto(`${url}second`);
assert.equal(await fresh.title(), "Second");
await fresh.close();

await assert.rejects(browser.createBrowserContext(), /default one/);
await browser.disconnect();
console.log("done");
