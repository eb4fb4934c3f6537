// What runs write is text, and the policy of the page holds.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { go, logIn, see, shot, withPage } from "./browser.mjs";
import { start } from "./cluster.mjs";

test("what a run writes and leaves behind is text and nothing else", () => withPage({}, async (page) => {
  await start("hostile", "python3 hostile.py", { artifacts: { dirs: ["hostile-out"] } });
  await logIn(page);
  await go(page, "#/runs/default/hostile", "hostile");
  await see(page, "Failed", ".head-status");
  await see(page, "end of the attack", ".log");
  const lines = await page.$$eval(".log-stdout .log-text", (all) => all.map((line) => line.textContent));
  assert.equal(lines[0], "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'><b>bold</b>");
  assert.equal(lines[1], "a link red still here");
  assert.equal(lines[2], "safe⟨202e⟩gnp.exe ⟨200b⟩hidden ␈␈ bell␇ nul␀");
  assert.equal(lines[3], "100% done");
  assert.equal(lines[4].replace(/^y{16384}/, ""), " … 33616 more characters");
  assert.ok(lines.includes("event: end"));
  assert.equal(await page.textContent(".log-stdout .t-red"), "red");
  await see(page, "<img src=x onerror=window.pwned=1>.txt", ".tree");
  await see(page, "⟨202e⟩txt.json");
  assert.equal(await page.$$eval("main :is(script, img, iframe, b, style, object, embed)", (all) => all.length), 0);
  assert.equal(await page.$$eval("main a", (all) => all.filter((link) => !link.getAttribute("href").startsWith("#/")).length), 0);
  assert.equal(await page.title(), "Failed · hostile · Paddock");
  await shot(page, "hostile");
}));

test("a long log is all there, can be searched, linked to and saved", () => withPage({}, async (page) => {
  await start("lines", "python3 lines.py");
  await logIn(page);
  await go(page, "#/runs/default/lines", "lines");
  await see(page, "Succeeded", ".head-status");
  await see(page, "no hiding", ".log");
  // The last lines are seen, and only those near them are elements.
  await page.waitForFunction(() => document.querySelectorAll(".log-line").length < 2000);
  assert.ok(await page.$$eval(".log-chunk", (all) => all.length) >= 100);
  const colour = (text) => page.$eval(`.log-text span:text-is("${text}")`, (element) => [getComputedStyle(element).color, getComputedStyle(element).backgroundColor]);
  assert.notEqual((await colour("true"))[0], (await colour("indexed"))[0]);
  for (const text of ["inverse", "no hiding"]) {
    const [ink, behind] = await colour(text);
    assert.ok(ink !== behind && behind !== "rgba(0, 0, 0, 0)", text);
  }
  await page.fill(".log-search", "LINE 777 OF");
  await see(page, "1 of 1 line", ".log-hits");
  await page.waitForSelector(".log-line[aria-current] mark:text-is('line 777 of')");
  await page.fill(".log-search", "line 1234");
  await see(page, "1 of 11 lines", ".log-hits");
  await page.press(".log-search", "Enter");
  await see(page, "2 of 11 lines", ".log-hits");
  await page.press(".log-search", "Shift+Enter");
  await page.press(".log-search", "Shift+Enter");
  await see(page, "11 of 11 lines", ".log-hits");
  await see(page, "line 12349 of many", ".log-line[aria-current]");
  await page.fill(".log-search", "<script>");
  await see(page, "none", ".log-hits");
  await page.fill(".log-search", "");
  await page.click("button:text-is('Times')");
  await page.waitForSelector(".log-time");
  await page.click("button:text-is('Times')");
  // A number is a link to its line.
  await page.click(".log-line[aria-current] .log-number");
  const link = await page.evaluate(() => location.hash);
  assert.match(link, /^#\/runs\/default\/lines\?line=\d+$/);
  const marked = await page.textContent(".log-line[aria-current] .log-text");
  await go(page, "#/runs", "Runs");
  await page.evaluate((to) => { location.hash = to; }, link);
  await page.waitForFunction((text) => {
    const line = document.querySelector(".log-line[aria-current] .log-text");
    const box = document.querySelector(".log")?.getBoundingClientRect();
    const at = line?.getBoundingClientRect().top;
    return line?.textContent === text && at > box.top && at < box.bottom;
  }, marked);
  await shot(page, "log-line");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("button:text-is('Download')")]);
  assert.equal(saved.suggestedFilename(), "lines.log");
  assert.equal(readFileSync(await saved.path(), "utf8").split("\n").filter((each) => each.endsWith("of many")).length, 20_000);
}));

test("the policy holds even against the page's own scripts", () => withPage({ violates: true }, async (page) => {
  await logIn(page);
  const stopped = (act) => page.evaluate(act).then(() => "", (error) => error.message);
  assert.match(await stopped(() => { document.body.innerHTML = "<b>x</b>"; }), /TrustedHTML/);
  assert.match(await stopped(() => { document.createElement("script").textContent = "window.pwned = 1"; }), /TrustedScript/);
  assert.match(await stopped(() => fetch("https://192.0.2.1/")), /Failed to fetch/);
  const directive = await page.evaluate(() => new Promise((resolve) => {
    document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
    const image = document.createElement("img");
    image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
    document.body.append(image);
  }));
  assert.equal(directive, "img-src");
  const framed = await page.evaluate(() => new Promise((resolve) => {
    document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
    const frame = document.createElement("iframe");
    frame.src = "/";
    document.body.append(frame);
  }));
  assert.equal(framed, "frame-src");
}));
