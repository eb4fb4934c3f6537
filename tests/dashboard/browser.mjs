// Chromium, and pages in it that notice everything that should not happen.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { settings } from "./cluster.mjs";

const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const PATIENCE_MS = 180_000;  // as in tests/integration: the longest a test waits for anything

const folder = mkdtempSync(join(tmpdir(), "paddock-chromium-"));
const browser = await chromium.launch({ executablePath: settings.chromium, args: ARGS, timeout: PATIENCE_MS, env: { ...process.env, HOME: folder } });

export async function closeBrowser() {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

// Calls `use(page)`; whatever it does, the page broke no rule of its policy, asked nobody but its own server, opened no
// dialog of the browser's, threw nothing, and ran no script of anybody else's.
// `violates`: the test itself tries what the policy forbids.
export async function withPage({ violates, ...options }, use) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 860 }, acceptDownloads: true, ...options });
  const faults = [];
  await context.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("pageerror", (error) => faults.push(`threw: ${error.stack ?? error}`));
  page.on("dialog", (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!violates && !request.url().startsWith(`${settings.url}/`) && !request.url().startsWith("blob:")) faults.push(`asked ${request.url()}`);
    if (request.url().includes(settings.token)) faults.push("the token is in an address");
  });
  page.on("console", (message) => { if (!violates && /Content Security Policy|Trusted/.test(message.text())) faults.push(message.text()); });
  try {
    await use(page, context);
    if (!violates) assert.deepEqual(await page.evaluate(() => window.violations), []);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.deepEqual(faults, []);
  } catch (error) {
    await page.screenshot({ path: join(settings.screenshots, "failed.png") }).catch(() => {});
    throw error;
  } finally {
    await context.close();
  }
}

export async function open(page) {
  await page.goto(`${settings.url}/`);
  await page.waitForSelector("#token");
}

export async function logIn(page, token = settings.token) {
  await open(page);
  await page.fill("#token", token);
  await page.keyboard.press("Enter");
  await page.waitForSelector("header nav");
}

export async function go(page, hash, heading) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.waitForFunction((text) => document.querySelector("main h1")?.textContent === text, heading);
}

export const shot = (page, name, options = {}) => page.screenshot({ path: join(settings.screenshots, `${name}.png`), animations: "disabled", ...options });

// Until the text is on the page.
export const see = (page, text, selector = "main") => page.waitForFunction(
  ([wanted, within]) => [...document.querySelectorAll(within)].some((element) => element.textContent.includes(wanted)), [text, selector]);
