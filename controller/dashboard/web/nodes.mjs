// The hosts: what they have, what of it is taken, and what their sandbox has proven.
import { collection } from "./api.mjs";
import { fill, h, keepFocus } from "./dom.mjs";
import { bytes, count, parseQuantity } from "./format.mjs";
import { eachFrame, liveList } from "./live.mjs";
import { NOT_ENDED } from "./queue.mjs";
import { brief, visible } from "./text.mjs";
import { ago, badge, command, empty, heading, meter, skeleton, tellIn } from "./ui.mjs";
import { devicesOf, nodeStates, proven, usedOnNodes } from "./usage.mjs";

const MOST_FAULTS = 3;

// What a node has proven is true only while it is there to say so.
export function isolationBadge(node) {
  const { passed, all } = proven(node);
  if (all === 0) return badge("Not run", "warn");
  const text = `${passed} of ${all} passed`;
  if (!node.status.ready) return badge(`${text} when it was last seen`, "stopped");
  return badge(text, passed === all ? "good" : "bad");
}

export const stateBadges = (node) => h("span", { class: "badges" }, nodeStates(node).map((word) => badge(word)));

// The controller's words for why it is not there have an age that has passed since.
export function absence(node) {
  if (node.status.ready) return "";
  return node.status.reason === "NODE_LOST" ? "It is not heard from any more." : visible(node.status.message || "It holds no lease.");
}

// Those that fail are named beside the others, with why.
function deviceLine(node) {
  const { names, faulty } = devicesOf(node);
  const well = [...names].map(([name, number]) => `${number} × ${brief(name, 60)}`).join(", ");
  return [well || (faulty.length === 0 && "none"), faulty.length > 0 && [badge(`${faulty.length} faulty`, "bad"),
    h("span", { class: "faint" }, faulty.slice(0, MOST_FAULTS).map(({ fault }) => brief(fault, 80)).join(", "), faulty.length > MOST_FAULTS && ", …")]];
}

export function loadMeters(node, used, known = true) {
  const has = node.status.capacity ?? {};
  const memory = parseQuantity(has.memory) ?? 0;
  const devices = devicesOf(node);
  const part = (now, whole, show = String) => (known ? `${show(now)} of ${show(whole)}` : show(whole));
  return h("div", { class: "meters" },
    meter("Runs", used.runs, has.maxRuns ?? 0, part(used.runs, has.maxRuns ?? 0)),
    meter("Cores", used.cpu, has.cpu ?? 0, part(used.cpu, has.cpu ?? 0)),
    meter("Memory", used.memory, memory, part(used.memory, memory, bytes)),
    devices.all > 0 && meter("Devices", used.devices, devices.well, part(used.devices, devices.well)));
}

export const NOTHING = { runs: 0, cpu: 0, memory: 0, devices: 0 };

function nodeCard(node, used, known) {
  const { name } = node.metadata;
  return h("li", { class: "card" },
    h("div", { class: "card-head" }, h("a", { class: "row-link card-title", href: `#/nodes/${encodeURIComponent(name)}` }, visible(name)), stateBadges(node)),
    !node.status.ready && h("p", { class: "faint" }, absence(node)),
    loadMeters(node, used, known),
    h("p", { class: "card-line" }, h("span", { class: "faint" }, "Devices"), " ", deviceLine(node)),
    h("p", { class: "card-line" }, h("span", { class: "faint" }, "Sandbox checks"), " ", isolationBadge(node)),
    h("p", { class: "card-foot faint" }, [node.status.os, node.status.arch, node.status.agentVersion && `agent ${node.status.agentVersion}`].filter(Boolean).map(visible).join(" · "),
      " · seen ", ago(node.status.lastSeen), " ago"));
}

const noNodes = () => empty("No node has joined yet", h("p", {}, "Runs wait until one does. On this host:"), command("paddock up"),
  h("p", {}, "On another host, install the node agent and give it this controller's address and an enrolment token (docs/install.md)."));

export function nodes(main, { signal, tell }) {
  let all;
  let used = new Map();
  let known = true;
  const body = h("div", {}, skeleton(4));
  const trouble = h("div", { "aria-live": "polite" });
  const summary = h("span", { class: "faint", role: "status" });
  fill(main, heading("Nodes", summary), trouble, body);
  const draw = eachFrame(() => {
    if (signal.aborted || !all) return;
    const ready = all.filter((node) => node.status?.ready).length;
    fill(summary, all.length ? `${ready} of ${count(all.length, "node")} ready` : "");
    keepFocus(body, () => fill(body, all.length === 0 ? noNodes() : h("ul", { class: "cards" }, all.map((node) => nodeCard(node, used.get(node.metadata.name) ?? NOTHING, known)))));
  });
  liveList(collection("nodes"), {
    signal,
    changed: (items) => {
      all = [...items.values()].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
      draw();
    },
    tell: tellIn(trouble, body, tell),
  });
  liveList(collection("runs"), {
    query: { fieldSelector: NOT_ENDED }, signal,
    changed: (items) => {
      used = usedOnNodes([...items.values()]);
      draw();
    },
    tell: (to) => {
      known = to !== "refused";
      draw();
    },
  });
}

