// What nodes have and have proven.
import assert from "node:assert/strict";
import { test } from "node:test";
import { go, logIn, see, shot, withPage } from "./browser.mjs";
import { api, settings } from "./cluster.mjs";

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
