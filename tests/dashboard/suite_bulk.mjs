// Several runs at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { logIn, see, shot, withPage } from "./browser.mjs";
import { run, start } from "./cluster.mjs";
import { SIZES, faint } from "./screens.mjs";

// The page draws once a frame: what was chosen is told a moment after the key.
const countedAs = (page, text) => page.waitForFunction((wanted) => document.querySelector(".bulk-count").textContent === wanted, text);

test("several runs are canceled, run again and deleted at once, each answered on its own", () => withPage({}, async (page) => {
  for (const name of ["many-a", "many-b", "many-c"]) await start(name, name === "many-c" ? "python3 ends.py c" : "python3 sleeps.py", { artifacts: { dirs: name === "many-c" ? ["out-c"] : [] } });
  await logIn(page);
  await page.fill("main input[type=search]", "many-");
  await page.waitForFunction(() => document.querySelectorAll("main a.row-link").length === 3);
  await page.waitForSelector("tr:has-text('many-c') .badge:has-text('Succeeded')");
  assert.equal(await page.isVisible(".bulk"), false);
  await page.check("input[aria-label='Select many-a']");
  await page.focus("a.row-link:has-text('many-b')");
  await page.keyboard.press("x");
  await page.check("input[aria-label='Select many-c']");
  await countedAs(page, "3 runs selected");
  assert.ok(await page.isChecked("input[aria-label='Select all shown']"));
  for (const [size, viewport] of SIZES) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), size);
      assert.deepEqual(await page.evaluate(faint), [], `${size} ${colorScheme}`);
      await shot(page, `bulk-${size}-${colorScheme}`);
    }
  }
  const dialog = page.locator("dialog[open]");
  const open = async (name) => {
    await page.locator(".bulk").getByRole("button", { name, exact: true }).click();
    await dialog.waitFor();
    return dialog.locator(".bulk-list li code:first-child").allTextContents();
  };
  // What is not running cannot be canceled, and is not named.
  assert.deepEqual((await open("Cancel 2")).sort(), ["many-a", "many-b"]);
  await page.route("**/runs/many-b/cancel", (route) => route.fulfill({ status: 409, json: { error: { code: "CONFLICT", message: "not <b>now</b>" } } }));
  await dialog.getByRole("button", { name: "Cancel the runs" }).click();
  await see(page, "1 of 2 runs could not be canceled", "dialog .notice");
  assert.match(await dialog.locator("li:has-text('many-b')").textContent(), /not <b>now<\/b> CONFLICT$/);
  assert.match(await dialog.locator("li:has-text('many-a')").textContent(), /canceled$/);
  await shot(page, "bulk-partly");
  // Once more tries what failed, and nothing else.
  const asked = [];
  page.on("request", (request) => { if (request.method() === "POST") asked.push(request.url().split("/").slice(-2).join("/")); });
  await page.unroute("**/runs/many-b/cancel");
  await dialog.getByRole("button", { name: "Cancel the runs" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(asked, ["many-b/cancel"]);
  await page.waitForFunction(() => [...document.querySelectorAll("table.runs .badge")].filter((each) => each.textContent === "Canceled").length === 2);
  await countedAs(page, "1 run selected");
  assert.deepEqual(await open("Run again"), ["many-c"]);
  await dialog.getByRole("button", { name: "Run again", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelectorAll("main a.row-link").length === 4);
  // What is filtered away is not chosen any more.
  await page.check("input[aria-label='Select all shown']");
  await page.fill("main input[type=search]", "many-a");
  await countedAs(page, "1 run selected");
  await page.fill("main input[type=search]", "many-");
  await page.waitForFunction(() => document.querySelectorAll("main a.row-link").length === 4);
  await countedAs(page, "1 run selected");
  await page.waitForFunction(() => document.querySelectorAll("table.runs .badge").length === 4 && [...document.querySelectorAll("table.runs .badge")].every((each) => ["Canceled", "Succeeded"].includes(each.textContent)));
  await page.click(".bulk button:has-text('Select all shown')");
  assert.equal((await open("Delete")).length, 4);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await run("many-a");
  await open("Delete");
  await dialog.getByRole("button", { name: "Delete the runs" }).click();
  await see(page, "No run matches");
  assert.equal(await page.isVisible(".bulk"), false);
  await assert.rejects(run("many-a"), /404/);
}));
