// One host: its devices, and what its sandbox can enforce, each with how it was proven.
import { pathWord } from "./address.mjs";
import { collection, get, withQuery } from "./api.mjs";
import { fill, h } from "./dom.mjs";
import { bytes, clock, count, parseQuantity, time } from "./format.mjs";
import { liveObject } from "./live.mjs";
import { nodeUse } from "./live_use.mjs";
import { nodeActions } from "./node_actions.mjs";
import { NOTHING, absence, isolationBadge, loadMeters, stateBadges } from "./nodes.mjs";
import { NOT_ENDED } from "./queue.mjs";
import { fits } from "./run_list.mjs";
import { runSection } from "./run_section.mjs";
import { sessionsOfNode } from "./sessions.mjs";
import { brief, visible } from "./text.mjs";
import { ago, badge, command, empty, facts, grid, heading, notice, section, skeleton, tellIn } from "./ui.mjs";
import { devicesOf, diskPressure, proven, usedOnNodes } from "./usage.mjs";

const troubles = (node) => {
  const out = [];
  const full = diskPressure(node);
  if (!node.status.ready) out.push(notice("bad", absence(node), h("p", {}, node.status.reason && [h("code", {}, visible(node.status.reason)), " · "],
    "On the host, look whether the agent runs and can reach this controller.")));
  if (node.spec?.drain) out.push(notice("warn", "Being drained", h("p", {}, `What still runs at ${clock(time(node.spec.drain.evictAt))} is ended. Uncordon it to end the drain.`)));
  else if (node.spec?.unschedulable) out.push(notice("stopped", "Cordoned: it gets nothing new", h("p", {}, "Uncordon it to open it again.")));
  if (full) out.push(notice("warn", "Disk full: it gets no new runs", h("p", {}, h("code", {}, visible(full.reason)), " · ", visible(full.message))));
  return out;
};

function factsOf(node) {
  const { status, metadata, spec } = node;
  return facts([
    ["Disk", bytes(parseQuantity(status.capacity?.disk))],
    ["System", [status.os, status.arch].filter(Boolean).map(visible).join(" ")],
    ["CPU features", visible((status.cpuFeatures ?? []).join(" "))],
    ["Agent", visible(status.agentVersion)],
    ["Sandbox checks", isolationBadge(node)],
    ["Last seen", h("span", {}, ago(status.lastSeen), " ago")],
    ["Joined", clock(time(metadata.creationTimestamp))],
    ["Labels", Object.entries(metadata.labels ?? {}).map(([key, value]) => h("code", { class: "label" }, visible(value ? `${key}=${value}` : key)))],
    ["Taints", (spec?.taints ?? []).map((taint) => h("code", { class: "label" }, visible(`${taint.key}${taint.value ? `=${taint.value}` : ""}:${taint.effect}`)))],
  ]);
}

function devicesSection(node) {
  const devices = node.status.devices ?? [];
  const { well, faulty } = devicesOf(node);
  return section("Devices", { id: "devices", note: faulty.length ? `${well} of ${count(devices.length, "accelerator")} well` : devices.length ? count(devices.length, "accelerator") : "" },
    devices.length === 0 ? h("p", { class: "faint" }, "No accelerator was found or declared. docs/accelerators.md says how one is.")
      : grid(["Kind", "Model", "Id", "State"], devices.map((each) => [visible(each.kind), visible(each.model ?? ""), h("code", {}, brief(each.id, 120)), each.fault ? h("div", {}, badge("Faulty", "bad"), h("p", { class: "faint" }, visible(each.fault))) : badge("Well", "good")]), { label: "Devices" }));
}

function capabilitiesSection(node) {
  const rows = [...(node.status.capabilities ?? [])].sort((a, b) => Number(a.available) - Number(b.available) || a.name.localeCompare(b.name));
  const available = rows.filter((each) => each.available).length;
  return section("Capabilities", { id: "capabilities", note: rows.length ? `${available} of ${rows.length} proven` : "" },
    rows.length === 0 ? h("p", { class: "faint" }, "The agent has not reported what its sandbox can enforce.")
      : grid(["Capability", "Proven", "Mechanism"], rows.map((each) => [h("strong", {}, visible(each.name)), each.available ? badge("Yes", "good") : badge("No", "bad"),
        h("div", {}, visible(each.mechanism), each.details && h("p", { class: "faint" }, visible(each.details)))]), { label: "Capabilities", name: "capabilities" }));
}

function canariesSection(node) {
  const rows = [...(node.status.canaries ?? [])].sort((a, b) => Number(a.passed) - Number(b.passed) || a.name.localeCompare(b.name));
  const { passed, all } = proven(node);
  return section("Sandbox checks", { id: "canaries", note: all ? `attacks that the node tries on its own sandbox: ${passed} of ${all} stopped` : "" },
    rows.length === 0 ? h("p", { class: "faint" }, "None yet: the agent tries them at its start.")
      : grid(["Attempt", "Stopped", "Expected", "Got", "Level"], rows.map((each) => [
        h("div", {}, h("strong", {}, visible(each.name)), h("p", { class: "faint" }, visible(each.attempt)), each.remedy && h("p", {}, "What would help: ", visible(each.remedy))),
        each.passed ? badge("Yes", "good") : badge("No", "bad"), visible(each.expected), visible(each.got), h("span", { class: "level" }, visible(each.level))]), { label: "Forbidden things", name: "canaries" }));
}

// The runs that are or were there; what the placed ones asked for is asked once more when they change.
function nodeRuns(name, { signal, used, refused }) {
  const selector = `status.nodeName=${name}`;
  let active;
  const ask = async () => {
    const { items } = await get(withQuery(collection("runs"), { fieldSelector: `${NOT_ENDED},${selector}` }), { signal });
    used(usedOnNodes(items).get(name) ?? NOTHING);
  };
  return runSection({
    title: "Runs of this node", selector, search: name, signal, refused,
    changed: (rows) => {
      const now = rows.filter((row) => fits(row, "Active")).map((row) => `${row.metadata.uid} ${row.cells.Phase}`).sort().join();
      if (now !== active) ask().catch(() => {});
      active = now;
    },
  });
}

export function nodePage(main, { words: [name], signal, tell }) {
  let node;
  let used = NOTHING;
  let known = true;
  const state = h("span", { class: "head-status", "aria-live": "polite" });
  const actions = nodeActions({ signal });
  const problemBox = h("div", { "aria-live": "polite" });
  const body = h("div", {}, skeleton(6));
  fill(main, h("nav", { class: "crumbs", "aria-label": "Where" }, h("a", { href: "#/nodes" }, "Nodes")), heading(visible(name), state, actions.element), problemBox, body);
  const runs = nodeRuns(name, { signal, used: (now) => { used = now; draw(); }, refused: () => { known = false; draw(); } });
  const use = nodeUse(signal);
  const open = sessionsOfNode(name, { signal });
  let parts;
  // Tables are made anew only when the node says something else: one may be reading them.
  const draw = () => {
    if (!node) return;
    if (!parts || parts.version !== node.metadata.resourceVersion) {
      parts = { version: node.metadata.resourceVersion, load: h("div") };
      fill(state, stateBadges(node));
      fill(body, troubles(node), section("Load", { id: "load", note: "what placed runs asked for" }, parts.load), use.element, runs, open, section("About", { id: "about" }, factsOf(node)),
        devicesSection(node), capabilitiesSection(node), canariesSection(node));
    }
    fill(parts.load, loadMeters(node, used, known));
  };
  liveObject(`${collection("nodes")}/${pathWord(name)}`, collection("nodes"), name, {
    signal,
    changed: (now) => {
      node = now;
      actions.show(node);
      use.show(node, Boolean(node?.status.ready));
      if (node) return draw();
      parts = undefined;
      fill(state);
      return fill(body, empty("There is no such node", h("p", {}, "It may have been removed."), h("p", {}, h("a", { href: "#/nodes" }, "Go to the nodes"))));
    },
    tell: tellIn(problemBox, body, tell),
  });
}
