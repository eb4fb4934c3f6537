// One run on its page: watched, its artifacts, its denials, and its end by people.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { go, logIn, see, shot, withPage } from "./browser.mjs";
import { node, run, start } from "./cluster.mjs";

const phase = (page) => page.textContent(".head-status");

test("a run is watched from waiting to its end, without a reload", () => withPage({}, async (page) => {
  await logIn(page);
  await page.evaluate(() => { window.samePage = true; });
  await node("cordon");
  await start("watched", "python3 ends.py a", { artifacts: { dirs: ["out-a"] } });
  await page.waitForSelector("a.row-link:has-text('watched')");
  await page.click("a.row-link:has-text('watched')");
  await see(page, "Why it waits");
  await see(page, "cordoned");
  assert.equal(await phase(page), "Pending");
  await shot(page, "pending");
  await go(page, "#/queue", "Queue");
  await see(page, "watched");
  await see(page, "cordoned");
  await shot(page, "queue");
  await go(page, "#/runs/default/watched", "watched");
  await node("uncordon");
  await see(page, "Succeeded", ".head-status");
  await see(page, "last line", ".log");
  await see(page, "a warning", ".log");  // another stream
  await see(page, "report.txt", ".tree");
  await see(page, "left.exe");
  const lines = await page.$$eval(".log-line", (all) => all.map((line) => [line.className.replace("log-line log-", ""), line.querySelector(".log-text").textContent]));
  assert.deepEqual(lines.filter(([stream]) => stream === "stdout").map(([, text]) => text),
    ["first line", ...Array.from({ length: 20 }, (_, i) => `ok   part ${i + 1} of 20`), "last line"]);
  assert.deepEqual(lines.filter(([stream]) => stream === "stderr"), [["stderr", "a warning"]]);
  assert.ok(await page.$$eval(".log-text .t-green", (all) => all.length) === 20);
  const enforced = Object.entries((await run("watched")).status.result.enforced);
  assert.equal(await page.$$eval("table.enforced tbody tr", (all) => all.length), enforced.length);
  for (const [name, each] of enforced) {
    const row = await page.textContent(`table.enforced tr:has(strong:text-is("${name}"))`);
    assert.ok(row.includes(each.level) && row.includes(each.mechanism), row);
  }
  for (const name of ["Pending", "Scheduled", "Preparing", "Running", "Succeeded"]) assert.ok((await page.textContent(".steps")).includes(name));
  await see(page, "Peak memory");
  assert.ok(await page.evaluate(() => window.samePage));
  await shot(page, "run", { fullPage: true });
}));

test("an artifact is saved as a file", () => withPage({}, async (page) => {
  await logIn(page);
  await go(page, "#/runs/default/watched", "watched");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(".file button:text-is('Save')")]);
  assert.equal(download.suggestedFilename(), "report.txt");
  assert.equal(readFileSync(await download.path(), "utf8"), "all is well\n");
}));

test("artifacts stand in folders and are looked at as text, tables and pixels, never as pages", () => withPage({}, async (page) => {
  await start("leaves", "python3 leaves.py", { type: "command", artifacts: { dirs: ["leaves-out"] } });
  await logIn(page);
  await go(page, "#/runs/default/leaves", "leaves");
  await see(page, "Succeeded", ".head-status");
  const look = async (name, text) => {
    const file = page.locator("li.file", { has: page.locator(`code:text-is("${name}")`) });
    await file.locator("button.file-name").click();
    await file.locator(".preview", { hasText: text }).waitFor();
    return file.locator(".preview");
  };
  const picture = await look("plot.png", "3 × 2");
  assert.deepEqual(await picture.locator("canvas").evaluate((canvas) => [canvas.width, canvas.height, ...canvas.getContext("2d").getImageData(1, 1, 1, 1).data]), [3, 2, 255, 0, 0, 255]);
  await look("bomb.png", "60000 × 60000 is too large");
  await look("broken.png", "broken");
  await look("fake.png", "It is no picture");
  await look("picture.svg", "<svg xmlns='http://www.w3.org/2000/svg' onload='window.pwned=1'/>");
  await look("page.html", "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>");
  const table = await look("rows.csv", 'a "b", c');
  assert.deepEqual(await table.locator("td").allTextContents(), ["<img src=x onerror=window.pwned=1>", 'a "b", c']);
  await look("data.json", '"a": "</pre><script>window.pwned=1</script>"');
  await look("noise.txt", "It is no text");
  assert.equal(await page.$$eval("main :is(script, img, iframe, style, object, embed)", (all) => all.length), 0);
  await page.click("summary:has-text('deep/er/')");
  await page.waitForSelector("code:text-is('...')");
  await shot(page, "artifacts", { fullPage: true });
  const [all] = await Promise.all([page.waitForEvent("download"), page.click("button:text-is('Download all')")]);
  assert.equal(all.suggestedFilename(), "leaves.zip");
  assert.ok(readFileSync(await all.path()).includes("leaves-out/many-39.txt"));
}));

test("a denial says what, where, by which rule, and what would allow it", () => withPage({}, async (page) => {
  await start("reaches-out", "python3 denied.py");
  await logIn(page);
  await go(page, "#/runs/default/reaches-out", "reaches-out");
  await see(page, "Failed", ".head-status");
  await page.waitForSelector(".denial");
  const [denial] = (await run("reaches-out")).status.result.denials;
  const text = await page.textContent(".denial");
  for (const part of [denial.what, denial.target, denial.executable, denial.rule, denial.remedy]) assert.ok(text.includes(part), part);
  assert.ok(text.includes("192.0.2.1:443"));
  await see(page, "E_CAPABILITY_DENIED");
  await shot(page, "denied");
  await go(page, "#/audit", "Audit");
  await see(page, "capability.denied");
  await page.selectOption("select", "capability.denied");
  await page.waitForFunction(() => [...document.querySelectorAll("table.audit .badge")].every((badge) => badge.textContent === "capability.denied") && document.querySelector("table.audit .badge"));
  await shot(page, "audit");
  await page.selectOption("select", "token.create");
  await see(page, "No such event");
}));

test("a run that takes its time to end is killed", () => withPage({}, async (page) => {
  await start("stays", "python3 stays.py", { terminationGrace: "5m" });
  await logIn(page);
  await go(page, "#/runs/default/stays", "stays");
  await see(page, "here to stay", ".log");
  const answer = async (button, yes) => {
    await page.getByRole("button", { name: button }).click();
    await page.waitForSelector("dialog[open]");
    await page.getByRole("button", { name: yes }).click();
  };
  await answer("Cancel run", "Cancel the run");
  await see(page, "SIGKILL after 5m");
  await see(page, "not yet", ".log");
  await answer("Kill run", "Kill the run");
  await see(page, "Canceled", ".head-status");
  assert.equal((await run("stays")).status.killNow, true);
}));

test("a run is canceled, by keyboard, after a question", () => withPage({}, async (page) => {
  await start("sleeper", "python3 sleeps.py");
  await logIn(page);
  await go(page, "#/runs/default/sleeper", "sleeper");
  await see(page, "Running", ".head-status");
  await see(page, "asleep", ".log");
  await shot(page, "running");
  const cancel = page.getByRole("button", { name: "Cancel run" });
  await cancel.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  await shot(page, "cancel");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  assert.equal((await run("sleeper")).spec.cancelRequested, false);
  await cancel.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await see(page, "Canceled", ".head-status");
  await see(page, "It was canceled");
  assert.equal(await page.isVisible("text=Cancel run"), false);
  assert.equal((await run("sleeper")).status.phase, "Canceled");
}));
