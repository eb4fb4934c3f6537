// What is not there, may not be seen or does not answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { go, logIn, open, see, shot, withPage } from "./browser.mjs";
import { api, paddock, settings, start, toolToken } from "./cluster.mjs";

test("what is not there, and what may not be seen, is said", () => withPage({}, async (page) => {
  const secret = await toolToken("reaches-out").catch((error) => String(error));
  await open(page);
  if (secret.startsWith("pdtt_")) {
    await page.fill("#token", secret);
    await page.click("button[type=submit]");
    await see(page, "TOOL_", ".login-answer");
  }
  await logIn(page);
  await go(page, "#/runs/default/nobody", "nobody");
  await see(page, "There is no such run");
  await shot(page, "no-such-run");
  await go(page, "#/nodes/nobody", "nobody");
  await see(page, "There is no such node");
  // A browser takes "." for the list of all workspaces: what would be deleted there?
  for (const hash of ["#/nope", "#/storage/workspaces/default/.", "#/runs/default", "#/runs/%2e%2e/x"]) {
    await go(page, "#/nodes/nobody", "nobody");
    await page.evaluate((to) => { location.hash = to; }, hash);
    await see(page, "There is no such page");
  }
}));

test("a token that may do less sees less, and is told what it lacks", () => withPage({}, async (page) => {
  await start("not-theirs", "python3 sleeps.py");
  await logIn(page, settings.viewer);
  await go(page, "#/runs/default/not-theirs", "not-theirs");
  await see(page, "asleep", ".log");
  for (const name of ["Cancel run", "Run again", "Delete"]) assert.equal(await page.getByRole("button", { name }).isVisible(), false, name);
  await go(page, "#/queue", "Queue");
  await see(page, "Shares are left out");
  await see(page, "Nothing waits");
  assert.deepEqual(await page.$$eval("nav.nav a", (all) => all.map((each) => each.textContent)), ["Runs", "Queue", "Sessions"]);
  for (const [hash, heading] of [["#/nodes", "Nodes"], ["#/audit", "Audit"]]) {
    await go(page, hash, heading);
    await see(page, "SCOPE_MISSING");
    await see(page, "Refused", ".live");
  }
  await shot(page, "refused");
  await page.click("text=Log out");
  await page.fill("#token", settings.team);
  await page.keyboard.press("Enter");
  await see(page, "team in team", ".who");
  await go(page, "#/runs", "Runs");
  await see(page, "No runs yet");
  await go(page, "#/runs/default/not-theirs", "not-theirs");
  await see(page, "NAMESPACE_DENIED");
  assert.ok(!(await page.textContent("main")).includes("asleep"));
  await api("POST", "/apis/paddock.dev/v1alpha1/namespaces/default/runs/not-theirs/cancel", {});
}));

test("a token that does not hold any more brings the login back", () => withPage({}, async (page) => {
  await logIn(page);
  await page.waitForSelector("a.row-link");
  await page.route("**/apis/**", (route) => route.continue({ headers: { ...route.request().headers(), authorization: "Bearer pdk_of_nobody" } }));
  await page.evaluate(() => { location.hash = "#/nodes"; });
  await page.waitForSelector("#token");
  await see(page, "TOKEN_UNKNOWN", ".login-answer");
  assert.equal(await page.$("a.row-link"), null);
  await page.unroute("**/apis/**");
  await page.fill("#token", settings.token);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Nodes");
  await page.click("text=Log out");
  await page.waitForSelector("#token");
}));

test("a controller that goes away and comes back is found again", () => withPage({}, async (page) => {
  await logIn(page);
  await page.waitForSelector("a.row-link");
  await page.evaluate(() => { window.samePage = true; });
  paddock("down");
  await see(page, "Reconnecting", ".live");
  await see(page, "UNREACHABLE");
  assert.ok(await page.$("a.row-link"));
  await shot(page, "reconnecting");
  paddock("up", "--port", String(settings.port));
  await see(page, "Live", ".live");
  assert.equal(await page.$(".notice"), null);
  await start("after-restart", "python3 ends.py b");
  await page.waitForSelector("a.row-link:has-text('after-restart')");
  assert.ok(await page.evaluate(() => window.samePage));
}));
