// Who waits, in which order, why; and who has how much of the cluster.
import { collection, may, session } from "./api.mjs";
import { fill, h, keepFocus } from "./dom.mjs";
import { bytes, count, percent } from "./format.mjs";
import { eachFrame, liveList } from "./live.mjs";
import { resourcesText, whyItWaits } from "./run_words.mjs";
import { visible } from "./text.mjs";
import { ago, empty, grid, heading, meter, notice, problem, section, skeleton, tellIn, words } from "./ui.mjs";
import { capacity, namespaces, queueOrder } from "./usage.mjs";

export const NOT_ENDED = "status.phase!=Succeeded,status.phase!=Failed,status.phase!=Canceled";
const AT_ONCE = 200;

// Each wish stays on its line: "4 × nvidia" is one.
function wants(run) {
  const wishes = resourcesText(run.spec?.resources).split(", ").filter(Boolean);
  return wishes.length ? h("div", { class: "wishes" }, wishes.map((wish) => h("span", {}, visible(wish)))) : "–";
}

function waitRow(run, i) {
  const { name, namespace, creationTimestamp } = run.metadata;
  return [String(i + 1),
    [h("a", { class: "row-link", href: `#/runs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}` }, visible(name)), h("span", { class: "namespace" }, visible(namespace))],
    h("div", { class: "why" }, h("p", {}, visible(whyItWaits(run)))),
    wants(run), String(run.spec.priority ?? 0), ago(creationTimestamp)];
}

function queueSection(all) {
  const waitingRuns = all.filter((run) => run.status.phase === "Pending").sort(queueOrder);
  const body = waitingRuns.length === 0
    ? empty("Nothing waits", h("p", {}, all.length ? `${count(all.length, "run")} placed, none in the queue.` : "No run is active. What is started next is placed at once if a node fits."))
    : [grid(["#", "Run", "Why it waits", "Asks for", "Priority", "Age"], waitingRuns.slice(0, AT_ONCE).map(waitRow), { label: "Waiting", name: "waiting", numbers: [0, 4, 5] }),
      waitingRuns.length > AT_ONCE && h("p", { class: "faint" }, `The first ${AT_ONCE} of ${waitingRuns.length}.`)];
  return section("Waiting", { id: "waiting", note: waitingRuns.length ? `${count(waitingRuns.length, "run")}, by priority, then age` : "" }, body);
}

const OF = { cpu: "of the cores", memory: "of the memory", devices: "of the devices", runs: "of the places" };

function fairSection(all, nodes) {
  const rows = namespaces(all, nodes);
  const whole = capacity(nodes);
  if (rows.length === 0) return section("Shares", { id: "fairness" }, h("p", { class: "faint" }, "No run is active."));
  return section("Shares", { id: "fairness", note: "of equal priority, a run of the namespace with the smallest share goes next" },
    grid(["Namespace", "Dominant share", "Placed", "Waiting", "Cores", "Memory", "Devices"], rows.map((row) => [
      h("strong", {}, visible(row.name)),
      nodes.length ? meter("", row.dominant.share, 1, `${percent(row.dominant.share, 1)} ${OF[row.dominant.of] ?? ""}`) : h("span", { class: "faint" }, "–"),
      String(row.used.runs), String(row.waiting), `${row.used.cpu}${whole.cpu ? ` of ${whole.cpu}` : ""}`,
      `${bytes(row.used.memory)}${whole.memory ? ` of ${bytes(whole.memory)}` : ""}`, `${row.used.devices}${whole.devices ? ` of ${whole.devices}` : ""}`]),
    { label: "Shares", name: "fairness", numbers: [2, 3, 4, 5, 6] }));
}

export function queue(main, { signal, tell }) {
  let all;
  let nodes;
  const body = h("div", {}, skeleton(6));
  const trouble = h("div", { "aria-live": "polite" });
  const noNodes = h("div");
  // Shares belong to the cluster: who may not see that sees the queue.
  const shares = may("nodes:read") && !session.namespace;
  fill(main, heading("Queue"), trouble, noNodes, body);
  const draw = eachFrame(() => {
    if (signal.aborted || !all || !nodes) return;
    keepFocus(body, () => fill(body, queueSection(all), shares ? fairSection(all, nodes) : h("p", { class: "faint none" }, "Shares are left out: they belong to the whole cluster and need a token with nodes:read for it.")));
  });
  liveList(collection("runs"), {
    query: { fieldSelector: NOT_ENDED }, signal,
    changed: (items) => {
      all = [...items.values()];
      draw();
    },
    tell: tellIn(trouble, body, tell),
  });
  if (!shares) nodes = [];
  else liveList(collection("nodes"), {
    signal,
    changed: (items) => {
      nodes = [...items.values()];
      fill(noNodes, nodes.length === 0 && notice("warn", "No node has joined", h("p", {}, words("Runs wait until one does: docs/install.md says how, or `paddock up` on this host."))));
      draw();
    },
    tell: (to, error) => fill(trouble, error && problem(error)),
  });
}
