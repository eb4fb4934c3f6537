// What runs and nodes use, drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { go, logIn, see, shot, withPage } from "./browser.mjs";
import { api, settings, start } from "./cluster.mjs";
import { SIZES, faint } from "./screens.mjs";

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
