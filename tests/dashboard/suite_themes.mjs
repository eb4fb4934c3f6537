// Every page on a phone, and in both themes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { go, logIn, shot, withPage } from "./browser.mjs";
import { settings } from "./cluster.mjs";
import { faint } from "./screens.mjs";

const PAGES = [["#/runs", "Runs"], ["#/queue", "Queue"], ["#/nodes", "Nodes"], ["#/audit", "Audit"],
  ["#/sessions", "Sessions"], ["#/storage", "Storage"], ["#/access", "Access"], ["#/storage/workspaces/default/programs", "programs"],
  ["#/runs/default/hostile", "hostile"], ["#/runs/default/reaches-out", "reaches-out"], [`#/nodes/${settings.node}`, settings.node]];

// Namespaces that would fit a line, and are broken within.
const broken = () => [...document.querySelectorAll(".namespace")].filter((element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return element.textContent.length < 12 && range.getClientRects().length > 1;
}).map((element) => element.textContent);

for (const width of [360, 390]) test(`a phone of ${width} shows all of it, with nothing beside the screen`, () => withPage(
  { viewport: { width, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }, async (page) => {
    await logIn(page);
    for (const [hash, heading] of PAGES) {
      await go(page, hash, heading);
      await page.waitForSelector(".live[data-state=live], .live[data-state=ended]");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), hash);
      assert.deepEqual(await page.evaluate(broken), [], hash);
      await shot(page, `phone-${heading.toLowerCase()}`);
    }
    const nav = await page.$eval("nav.nav", (element) => element.getBoundingClientRect().bottom);
    assert.equal(Math.round(nav), 740);
    await page.tap("nav.nav a:has-text('Queue')");
    await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Queue");
  }));

// WCAG 2: what is written has a contrast of 4.5 to what it is written on.

for (const colorScheme of ["dark", "light"]) {
  test(`the ${colorScheme} theme can be read`, () => withPage({ colorScheme, viewport: { width: 1440, height: 900 } }, async (page) => {
    await logIn(page);
    for (const [hash, heading] of PAGES) {
      await go(page, hash, heading);
      await page.waitForSelector(".live[data-state=live], .live[data-state=ended]");
      assert.deepEqual(await page.evaluate(faint), [], hash);
      await shot(page, `${colorScheme}-${heading.toLowerCase()}`);
    }
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).colorScheme), "light dark");
    for (const [name, scheme] of [["Light", "light"], ["Dark", "dark"], ["Auto", "light dark"]]) {
      await page.click("button.theme");
      assert.equal((await page.textContent("button.theme")).trim(), name);
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), scheme);
    }
  }));
}
