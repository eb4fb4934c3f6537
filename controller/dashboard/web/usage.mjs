// Who uses what, and who waits: counted from the objects that the API shows. Pure.
import { hasEnded, parseQuantity } from "./format.mjs";

const nothing = () => ({ runs: 0, cpu: 0, memory: 0, devices: 0 });

export function asked(run) {
  const wanted = run.spec?.resources ?? {};
  return {
    runs: 1,
    cpu: wanted.cpu ?? 0,
    memory: parseQuantity(wanted.memory) ?? 0,
    devices: wanted.accelerators?.count ?? 0,
  };
}

// What runs can be granted of a node's devices, how many by name, and the others.
export function devicesOf(node) {
  const all = node.status?.devices ?? [];
  const well = all.filter((each) => !each.fault);
  const names = new Map();
  for (const { model, kind } of well) names.set(model || kind, (names.get(model || kind) ?? 0) + 1);
  return { all: all.length, well: well.length, names, faulty: all.filter((each) => each.fault) };
}

function add(sum, more) {
  for (const key of Object.keys(sum)) sum[key] += more[key];
}

export function capacity(nodes) {
  const sum = nothing();
  for (const node of nodes) {
    if (!node.status?.ready) continue;
    const has = node.status.capacity ?? {};
    add(sum, {
      runs: has.maxRuns ?? 0,
      cpu: has.cpu ?? 0,
      memory: parseQuantity(has.memory) ?? 0,
      devices: devicesOf(node).well,
    });
  }
  return sum;
}

// The largest part of anything that the cluster has, and of what.
export function dominantShare(used, whole) {
  let best = { share: 0, of: "" };
  for (const key of ["cpu", "memory", "devices", "runs"]) {
    const share = whole[key] > 0 ? used[key] / whole[key] : 0;
    if (share > best.share) best = { share, of: key };
  }
  return best;
}

// By namespace: what its placed runs asked for, and how many wait. The one with the smallest share first.
export function namespaces(runs, nodes) {
  const whole = capacity(nodes);
  const table = new Map();
  for (const run of runs) {
    if (hasEnded(run.status?.phase)) continue;
    const name = run.metadata.namespace;
    const row = table.get(name) ?? { name, waiting: 0, used: nothing() };
    table.set(name, row);
    if (run.status?.phase === "Pending") ++row.waiting;
    else add(row.used, asked(run));
  }
  return [...table.values()]
    .map((row) => ({ ...row, dominant: dominantShare(row.used, whole) }))
    .sort((a, b) => a.dominant.share - b.dominant.share || a.name.localeCompare(b.name));
}

export function usedOnNodes(runs) {
  const table = new Map();
  for (const run of runs) {
    const node = run.status?.nodeName;
    if (!node || hasEnded(run.status.phase) || run.status.phase === "Pending") continue;
    const sum = table.get(node) ?? nothing();
    add(sum, asked(run));
    table.set(node, sum);
  }
  return table;
}

// The order in which waiting runs are looked at within one namespace: priority, then age, then uid.
export function queueOrder(a, b) {
  return (b.spec?.priority ?? 0) - (a.spec?.priority ?? 0) ||
    String(a.metadata.creationTimestamp).localeCompare(String(b.metadata.creationTimestamp)) ||
    String(a.metadata.uid).localeCompare(String(b.metadata.uid));
}

const condition = (node, type) => node.status?.conditions?.find((each) => each.type === type && each.status === "True");

// What a node says of its disk while that is too full for runs.
export const diskPressure = (node) => condition(node, "DiskPressure");

// The words that `paddock get nodes` and kubectl have, the first of them for whether it is there at all.
export function nodeStates(node) {
  const { status = {}, spec = {} } = node;
  return [
    status.ready ? "Ready" : status.reason === "NODE_LOST" ? "Lost" : "NotReady",
    diskPressure(node) && "DiskFull",
    condition(node, "HostFault") && "Faulty",
    status.coolDown?.until && "Resting",
    spec.unschedulable && "SchedulingDisabled",
    spec.drain && "Draining",
    spec.taints?.length > 0 && "Tainted",
  ].filter(Boolean);
}

export function proven(node) {
  const canaries = node.status?.canaries ?? [];
  return { passed: canaries.filter((each) => each.passed).length, all: canaries.length };
}
