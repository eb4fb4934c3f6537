// All of it by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, shot, withPage } from "./browser.mjs";
import { settings } from "./cluster.mjs";

test("everything can be done by keyboard", () => withPage({}, async (page) => {
  await open(page);
  await page.keyboard.type(settings.token);
  await page.keyboard.press("Enter");
  await page.waitForSelector("a.row-link:has-text('hostile')");
  await page.keyboard.press("/");
  await page.keyboard.type("reaches");
  await page.waitForFunction(() => document.querySelectorAll("main a.row-link").length === 1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "reaches-out");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "reaches-out");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1");
  await page.keyboard.press("u");
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Runs");
  await page.keyboard.press("/");
  await page.keyboard.press("Delete");
  await page.waitForFunction(() => document.querySelectorAll("main a.row-link").length > 1);
  await page.keyboard.press("Escape");
  for (const [key, title] of [["q", "Queue"], ["s", "Sessions"], ["w", "Storage"], ["n", "Nodes"], ["c", "Access"], ["a", "Audit"], ["r", "Runs"]]) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.waitForFunction((text) => document.querySelector("main h1")?.textContent === text, title);
  }
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await shot(page, "keys");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  // Whatever can be reached has a name, and shows that it is reached.
  for (let i = 0; i < 12; ++i) {
    await page.keyboard.press("Tab");
    const [tag, name, outline] = await page.evaluate(() => {
      const element = document.activeElement;
      return [element.tagName, element.getAttribute("aria-label") || element.textContent || element.labels?.length, getComputedStyle(element).outlineStyle];
    });
    if (tag === "BODY") continue;  // once around
    assert.ok(name, tag);
    assert.equal(outline, "solid", `${tag} ${name}`);
  }
}));
