// Logging in, and what a token leaves behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { logIn, open, see, shot, withPage } from "./browser.mjs";
import { settings } from "./cluster.mjs";

test("before there is anything, the page says what to do", () => withPage({}, async (page) => {
  await logIn(page);
  await see(page, "No runs yet");
  await see(page, "paddock compute");
  await shot(page, "empty");
}));

// All that a page leaves where another page, another tab or another person could find it.
const left = (page) => page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie, location.href, history.state, document.documentElement.outerHTML]));

test("a token logs in and is kept for the tab, or in memory alone", () => withPage({}, async (page, context) => {
  const asks = async (at) => {
    await at.waitForSelector("#token");
    assert.equal(await at.inputValue("#token"), "");
  };
  const kept = () => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
  await open(page);
  await shot(page, "login");
  await page.fill("#token", "pdk_of_nobody");
  await page.click("button[type=submit]");
  await see(page, "TOKEN_UNKNOWN", ".login-answer");
  assert.equal(await kept(), "{}");
  await shot(page, "login-refused");
  await page.uncheck("#stays");
  await page.fill("#token", settings.token);
  await page.click("button[type=submit]");
  await page.waitForSelector("header nav");
  await see(page, "Live", ".live");
  assert.ok(!(await left(page)).includes(settings.token));
  assert.equal(await kept(), "{}");
  assert.deepEqual(await context.cookies(), []);
  await page.reload();
  await asks(page);
  // Kept for the tab: a reload goes on, another tab and who logs out do not.
  await page.fill("#token", settings.token);
  await page.keyboard.press("Enter");
  await page.waitForSelector("header nav");
  await page.evaluate(() => { location.hash = "#/nodes"; });
  await page.reload();
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Nodes");
  assert.ok(!(await left(page)).includes(settings.token));
  const other = await context.newPage();
  await other.goto(`${settings.url}/`);
  await asks(other);
  await other.close();
  await page.click("text=Log out");
  await asks(page);
  assert.equal(await kept(), "{}");
  await page.reload();
  await asks(page);
}));

test("a token of the tab that does not hold any more is forgotten", () => withPage({}, async (page) => {
  await open(page);
  await page.evaluate(() => sessionStorage.setItem("paddock.token", "pdk_of_nobody"));
  await page.reload();
  await see(page, "TOKEN_UNKNOWN", ".login-answer");
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
}));
