// What people do with the dashboard, on a real controller with a real node and real sandboxes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { closeBrowser, go, logIn, open, see, shot, withPage } from "./browser.mjs";
import { api, makeWorkspace, node, paddock, run, settings, start, toolToken } from "./cluster.mjs";

before(makeWorkspace);
after(closeBrowser);

const phase = (page) => page.textContent(".head-status");

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

// A use of the last minutes that nobody has to wait for: the page's clock goes as the test wants, and so do the measurements.
async function playUse(page, path, amounts) {
  let tick = 0;
  await page.route(`**/apis/metrics.k8s.io/**/${path}`, (route) => {
    const usage = amounts(tick);
    const timestamp = new Date(Date.UTC(2026, 0, 1) + 5000 * tick++).toISOString();
    return route.fulfill({ json: { timestamp, usage, containers: [{ usage }] } });
  });
  return async (until) => {
    while (tick < until) await page.clock.runFor(5100).then(() => new Promise(setImmediate));
  };
}

test("what a run and its node use is drawn while one looks", () => withPage({}, async (page) => {
  await start("busy", "python3 busy.py");
  await logIn(page);
  await go(page, "#/runs/default/busy", "busy");
  await see(page, "busy", ".log");
  // As the agent measures it.
  await page.waitForSelector("figure[data-use=memory] .chart-line", { state: "attached" });
  await page.waitForSelector("figure[data-use=cpu] .chart-line", { state: "attached" });
  const memory = await page.getAttribute("figure[data-use=memory] svg", "aria-label");
  await shot(page, "use-run", { fullPage: true });
  assert.match(memory, /^Memory: \d+(\.\d)? MiB of [\d.]+ [MG]iB; at most \d+(\.\d)? MiB in the last minute$/);
  await go(page, `#/nodes/${settings.node}`, settings.node);
  await page.waitForSelector("figure[data-use=cpu] .chart-line", { state: "attached" });
  assert.match(await page.textContent("figure[data-use=cpu] .chart-now"), /^[\d.]+ of \d+ cores?$/);
  // As long as the run runs; what was heard stays until one leaves.
  await go(page, "#/runs/default/busy", "busy");
  await page.waitForSelector("figure[data-use=cpu] .chart-line", { state: "attached" });
  await api("POST", "/apis/paddock.dev/v1alpha1/namespaces/default/runs/busy/cancel", {});
  await see(page, "Canceled", ".head-status");
  assert.ok(await page.isVisible("figure[data-use=cpu]"));
  await page.reload();
  await see(page, "Canceled", ".head-status");
  assert.equal(await page.isVisible("#use"), false);
}));

const SIZES = [["phone", { width: 390, height: 844 }], ["wide", { width: 1440, height: 900 }]];
for (const [size, viewport] of SIZES) {
  for (const colorScheme of ["light", "dark"]) {
    test(`use of minutes fits a ${size} screen, ${colorScheme}`, () => withPage({ viewport, colorScheme }, async (page) => {
      await page.clock.install();
      await logIn(page);
      const play = await playUse(page, `nodes/${settings.node}`, (tick) => ({
        ...(tick % 40 > 30 ? {} : { cpu: `${Math.round(900 + 700 * Math.sin(tick / 5))}m` }), memory: String(3e9 + 2e7 * tick),
        accelerators: tick > 20 ? "740m" : "0m", acceleratorMemory: String(1.2e10 + 1e8 * tick),
      }));
      await go(page, `#/nodes/${settings.node}`, settings.node);
      await page.waitForSelector("figure[data-use=cpu] .chart-line", { state: "attached" });
      await play(70);
      await page.waitForFunction(() => document.querySelector("figure[data-use=memory] .chart-times").textContent.startsWith("6 min"));
      assert.ok((await page.$$("figure[data-use=cpu] .chart-line")).length > 1, "a line ends where nothing was measured");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      const over = await page.$$eval(".chart", (all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.dataset.use));
      assert.deepEqual(over, []);
      assert.deepEqual(await page.evaluate(faint), []);
      await page.locator("#use").scrollIntoViewIfNeeded();
      await shot(page, `use-${size}-${colorScheme}`);
    }));
  }
}

test("amounts that are none are not drawn", () => withPage({}, async (page) => {
  await logIn(page);
  await page.route("**/apis/metrics.k8s.io/**", (route) => route.fulfill({ json: { timestamp: "2026-01-01T00:00:00Z", usage: { cpu: "<img src=x onerror=window.pwned=1>", memory: -1, accelerators: { a: 1 }, acceleratorMemory: "9e999" } } }));
  await go(page, `#/nodes/${settings.node}`, settings.node);
  await see(page, "The agent has not said what the host uses.");
  assert.equal(await page.$$eval("figure.chart", (all) => all.filter((each) => each.checkVisibility()).length), 0);
}));

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

test("nodes show what they have and what they have proven", () => withPage({}, async (page) => {
  await logIn(page);
  await go(page, "#/nodes", "Nodes");
  await see(page, "1 of 1 node ready");
  const { status } = await api("GET", `/apis/paddock.dev/v1alpha1/nodes/${settings.node}`);
  const well = status.devices.filter((each) => !each.fault).length;
  assert.equal(status.devices.length - well, 1, "the host declared one that is not there");
  const card = await page.textContent("ul.cards li");
  assert.ok(card.includes("1 × a card that is there"), card);
  assert.ok(!card.includes("1 × a card that is gone"), card);
  assert.equal(await page.textContent("ul.cards .card-line .badge"), "1 faulty");
  assert.ok(card.includes(`${settings.gone} does not exist`), card);
  assert.ok(card.includes(`Devices0 of ${well}`), card);
  await shot(page, "nodes");
  await page.click("a.row-link");
  await page.waitForSelector("table.canaries");
  await see(page, `${well} of ${status.devices.length} accelerators well`);
  const faulty = await page.textContent("table[aria-label=Devices] tr:has-text('a card that is gone')");
  assert.ok(faulty.includes("Faulty") && faulty.includes(`${settings.gone} does not exist`), faulty);
  assert.ok((await page.textContent("table[aria-label=Devices] tr:has-text('a card that is there')")).includes("Well"));
  assert.equal(await page.$$eval("table.canaries tbody tr", (all) => all.length), status.canaries.length);
  assert.equal(await page.$$eval("table.capabilities tbody tr", (all) => all.length), status.capabilities.length);
  const answer = async (button, yes) => {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.locator("dialog").getByRole("button", { name: yes, exact: true }).click();
    await page.waitForSelector("dialog", { state: "detached" });
  };
  await answer("Cordon", "Cordon");
  await see(page, "SchedulingDisabled", ".head-status");
  await shot(page, "node", { fullPage: true });
  await page.getByRole("button", { name: "Drain", exact: true }).click();
  await page.fill("#drain-grace", "a while");
  await page.getByRole("button", { name: "Drain the node" }).click();
  await see(page, "grace", "dialog .notice");
  await page.fill("#drain-grace", "10m");
  await page.getByRole("button", { name: "Drain the node" }).click();
  await see(page, "Draining", ".head-status");
  await answer("Uncordon", "Uncordon");
  await page.waitForFunction(() => document.querySelector(".head-status").textContent === "Ready");
  // Its runs, those that have ended too.
  await see(page, "watched", "table[aria-label='Runs of this node']");
}));

test("runs are found by their labels, and what is chosen is in the address", () => withPage({}, async (page) => {
  const label = "team";
  await api("POST", "/apis/paddock.dev/v1alpha1/namespaces/default/runs", { apiVersion: "paddock.dev/v1alpha1", kind: "Run", metadata: { name: "labelled", labels: { [label]: "vision" } },
    spec: { type: "code", code: "print(input_data['text'])\n", inputData: { text: "<img src=x onerror=window.pwned=1>" }, timeout: "7m" } });
  await logIn(page);
  await page.fill("main input[type=search]", "team=vision");
  await page.waitForFunction(() => document.querySelectorAll("main a.row-link").length === 1);
  assert.equal(await page.evaluate(() => location.hash), "#/runs?q=team%3Dvision");
  await page.click("a.row-link");
  await see(page, "Succeeded", ".head-status");
  await see(page, "print(input_data['text'])", "pre[aria-label=Python]");
  await see(page, "<img src=x onerror=window.pwned=1>", "pre[aria-label=Input]");
  await see(page, "7m");
  await shot(page, "code-run", { fullPage: true });
  await page.click("a.label");
  await see(page, "labelled", "a.row-link");
  assert.equal(await page.inputValue("main input[type=search]"), "team=vision");
  await page.click("button.sort:has-text('Run')");
  await page.click("button.chip:has-text('Succeeded')");
  await page.waitForFunction(() => location.hash === "#/runs?phase=Succeeded&q=team%3Dvision&sort=name");
  await page.click("a.row-link");
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "labelled");
  await page.keyboard.press("u");
  await page.waitForFunction(() => location.hash === "#/runs?phase=Succeeded&q=team%3Dvision&sort=name");
}));

test("a run is started, run again with changes, and deleted; refusals are the controller's own", () => withPage({}, async (page) => {
  await logIn(page);
  await page.getByRole("button", { name: "New run" }).click();
  await page.selectOption("#form-type", "code");
  await page.fill("#form-code", "print('started', input_data)");
  await page.fill("#form-input", "{");
  await page.getByRole("button", { name: "Start" }).click();
  await see(page, "It is no JSON", "dialog .notice");
  await page.fill("#form-input", '{"n": 1}');
  await page.fill("#form-timeout", "soon");
  await page.fill("#form-memory", "lots");
  await page.getByRole("button", { name: "Start" }).click();
  await see(page, "spec.timeout", "dialog .notice");
  await see(page, "spec.sandbox.limits.memory", "dialog .causes");
  await shot(page, "form-refused");
  await page.fill("#form-timeout", "1m");
  await page.fill("#form-memory", "");
  await page.fill("#form-name", "started");
  await page.fill("#form-labels", "from=form");
  // The answer is lost once: the same run is asked for again, and not refused for its name.
  const keys = [];
  await page.route("**/namespaces/default/runs", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    keys.push(route.request().headers()["idempotency-key"]);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.getByRole("button", { name: "Start" }).click();
  await see(page, "UNREACHABLE", "dialog .notice");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "started");
  assert.equal(new Set(keys).size, 1);
  await page.unroute("**/namespaces/default/runs");
  await see(page, "started {'n': 1}", ".log");
  await see(page, "Succeeded", ".head-status");
  await page.getByRole("button", { name: "Run again" }).click();
  assert.equal(await page.inputValue("#form-code"), "print('started', input_data)");
  assert.equal(await page.inputValue("#form-labels"), "from=form");
  await page.getByRole("button", { name: "Close" }).click();
  const [receipt] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Receipt" }).click()]);
  assert.equal(receipt.suggestedFilename(), "started.receipt.json");
  assert.ok(JSON.parse(readFileSync(await receipt.path(), "utf8")).payload);
  await page.getByRole("button", { name: "Run again" }).click();
  await shot(page, "form-again");
  await page.fill("#form-code", "print('again', input_data)");
  await page.getByRole("button", { name: "Start" }).click();
  await see(page, "again {'n': 1}", ".log");
  const again = await page.textContent("main h1");
  assert.match(again, /^started-[a-z0-9]{5}$/);
  const { metadata, spec } = await run(again);
  assert.deepEqual([metadata.annotations["paddock.dev/rerun-of"], metadata.labels, spec.timeout], ["started", { from: "form" }, "1m"]);
  await see(page, "Succeeded", ".head-status");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the run" }).click();
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Runs");
  await assert.rejects(run(again), /404/);
}));

test("sessions, storage and access are shown, and no secret is", () => withPage({}, async (page) => {
  const space = "/apis/paddock.dev/v1alpha1/namespaces/default";
  const make = (plural, kind, body) => api("POST", `${space}/${plural}`, { apiVersion: "paddock.dev/v1alpha1", kind, ...body });
  await make("sandboxes", "Sandbox", { metadata: { name: "open" } });
  await make("secrets", "Secret", { metadata: { name: "db" }, stringData: { password: "never-to-be-seen" } });
  await make("grants", "Grant", { metadata: { name: "bounded" }, spec: { subjects: ["nobody"], compute: { cpu: 16, quota: { runs: 100, memory: "1Ti" } } } });
  await start("publishes", "python3 ends.py p", { artifacts: { dirs: ["out-p"] }, publish: "results" });
  const { token } = await api("POST", "/admin/tokens", { subject: "reader", scopes: ["runs:read"], ttl: "1h" });
  await logIn(page);
  await go(page, "#/sessions", "Sessions");
  await see(page, "Ready", "table.sessions");
  await page.click("a.row-link");
  await see(page, "none but loopback");
  await api("PUT", `${space}/sandboxes/open/files/${encodeURIComponent("<img src=x onerror=window.pwned=1>.txt")}`, "text", "application/octet-stream");
  await page.click(".folder summary");
  await page.click("button.file-name:has-text('<img src=x')");
  await see(page, "text", ".preview pre");
  await shot(page, "session");
  await go(page, "#/storage", "Storage");
  await see(page, "programs", "table[aria-label=Workspaces]");
  await see(page, "publishes", "table[aria-label=Volumes]");
  await page.click("a.row-link:text-is('results')");
  await see(page, "publishes", "table[aria-label=Versions]");
  await go(page, "#/storage/workspaces/default/programs", "programs");
  await see(page, "hostile.py", ".tree");
  await see(page, "watched", "table[aria-label='Runs of these files']");
  await shot(page, "workspace");
  await go(page, "#/access", "Access");
  await see(page, "of 100", "table.grants");
  await see(page, "password (16 B)", "table[aria-label=Secrets]");
  await see(page, "reader", "table[aria-label=Tokens]");
  await shot(page, "access");
  const text = await page.evaluate(() => document.documentElement.outerHTML);
  for (const secret of ["never-to-be-seen", token, settings.token, btoa("never-to-be-seen")]) assert.ok(!text.includes(secret));
  await page.locator("tr", { hasText: "reader" }).getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke the token" }).click();
  await page.waitForFunction(() => !document.querySelector("table[aria-label=Tokens]").textContent.includes("reader"));
  await go(page, "#/sessions/default/open", "open");
  await page.getByRole("button", { name: "Destroy", exact: true }).click();
  await page.getByRole("button", { name: "Destroy the session" }).click();
  await see(page, "No session is open");
}));

const PAGES = [["#/runs", "Runs"], ["#/queue", "Queue"], ["#/nodes", "Nodes"], ["#/audit", "Audit"],
  ["#/sessions", "Sessions"], ["#/storage", "Storage"], ["#/access", "Access"], ["#/storage/workspaces/default/programs", "programs"],
  ["#/runs/default/hostile", "hostile"], ["#/runs/default/reaches-out", "reaches-out"], [`#/nodes/${settings.node}`, settings.node]];

test("a phone shows all of it, with nothing beside the screen", () => withPage(
  { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }, async (page) => {
    await logIn(page);
    for (const [hash, heading] of PAGES) {
      await go(page, hash, heading);
      await page.waitForSelector(".live[data-state=live], .live[data-state=ended]");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), hash);
      await shot(page, `phone-${heading.toLowerCase()}`);
    }
    const nav = await page.$eval("nav.nav", (element) => element.getBoundingClientRect().bottom);
    assert.equal(Math.round(nav), 740);
    await page.tap("nav.nav a:has-text('Queue')");
    await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Queue");
  }));

// WCAG 2: what is written has a contrast of 4.5 to what it is written on.
const faint = () => {
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const parse = (text) => text.startsWith("rgb") ? text.match(/[\d.]+/g).map(Number) : undefined;
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour && (colour[3] ?? 1) === 1) return colour;
    }
    return [255, 255, 255];
  };
  const out = [];
  for (const element of document.querySelectorAll("header *, main *")) {
    const own = [...element.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!own || !element.checkVisibility() || element.closest(".step-ahead, :disabled, .t-dim")) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) out.push(`${element.className} "${element.textContent.slice(0, 40)}" ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
  }
  return out;
};

for (const colorScheme of ["dark", "light"]) {
  test(`the ${colorScheme} theme can be read`, () => withPage({ colorScheme }, async (page) => {
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
