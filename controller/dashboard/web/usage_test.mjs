import assert from "node:assert/strict";
import { test } from "node:test";
import { capacity, devicesOf, namespaces, nodeStates, proven, queueOrder, usedOnNodes } from "./usage.mjs";

const run = (namespace, phase, resources, more = {}) => ({ metadata: { namespace, uid: "u", creationTimestamp: "2026-01-01T00:00:00Z", ...more.metadata },
  spec: { resources, priority: more.priority }, status: { phase, nodeName: phase === "Pending" ? undefined : "n1" } });
const NODES = [{ status: { ready: true, capacity: { cpu: 8, memory: "16Gi", maxRuns: 4 }, devices: [{}, {}] } }, { status: { ready: false, capacity: { cpu: 64 } } }];

test("what the cluster has is what ready nodes have", () => {
  assert.deepEqual(capacity(NODES), { runs: 4, cpu: 8, memory: 16 * 2 ** 30, devices: 2 });
});

test("a device with a fault is none that a run can have", () => {
  const card = { kind: "nvidia", model: "a card" };
  const gone = { kind: "nvidia", fault: "it is gone" };
  const node = { status: { ready: true, devices: [card, gone, card, { kind: "apple" }] } };
  assert.deepEqual(devicesOf(node), { all: 4, well: 3, names: new Map([["a card", 2], ["apple", 1]]), faulty: [gone] });
  assert.equal(capacity([node]).devices, 3);
  assert.deepEqual(devicesOf({}), { all: 0, well: 0, names: new Map(), faulty: [] });
});

test("the namespace with the smallest dominant share comes first", () => {
  const rows = namespaces([run("a", "Running", { cpu: 4 }), run("b", "Running", { accelerators: { count: 2 } }), run("b", "Pending"), run("c", "Pending"), run("c", "Failed", { cpu: 8 })], NODES);
  assert.deepEqual(rows.map((row) => [row.name, row.waiting, row.dominant.share, row.dominant.of]), [["c", 1, 0, ""], ["a", 0, 0.5, "cpu"], ["b", 1, 1, "devices"]]);
  assert.deepEqual(namespaces([], []), []);
});

test("a node is used by what is placed there", () => {
  const used = usedOnNodes([run("a", "Running", { cpu: 4, memory: "1Gi" }), run("a", "Preparing"), run("a", "Pending"), run("a", "Succeeded", { cpu: 1 })]);
  assert.deepEqual(used.get("n1"), { runs: 2, cpu: 4, memory: 2 ** 30, devices: 0 });
});

test("who waits goes by priority, then age", () => {
  const old = run("a", "Pending", {}, { metadata: { uid: "old", creationTimestamp: "2026-01-01T00:00:00Z" } });
  const young = run("a", "Pending", {}, { metadata: { uid: "young", creationTimestamp: "2026-01-02T00:00:00Z" } });
  const urgent = run("a", "Pending", {}, { priority: 5, metadata: { uid: "urgent", creationTimestamp: "2026-01-03T00:00:00Z" } });
  assert.deepEqual([young, urgent, old].sort(queueOrder).map((each) => each.metadata.uid), ["urgent", "old", "young"]);
});

test("a node's state is told by the words of kubectl, all that are true of it", () => {
  const states = (status, spec) => nodeStates({ status, spec }).join(",");
  assert.equal(states({ ready: true }), "Ready");
  assert.equal(states({ ready: true, conditions: [{ type: "DiskPressure", status: "True" }, { type: "HostFault", status: "False" }] }), "Ready,DiskFull");
  assert.equal(states({ ready: true, conditions: [{ type: "DiskPressure", status: "False" }] }), "Ready");
  assert.equal(states({ ready: true }, { unschedulable: true }), "Ready,SchedulingDisabled");
  assert.equal(states({ ready: true }, { unschedulable: true, drain: {}, taints: [{ key: "gpu" }] }), "Ready,SchedulingDisabled,Draining,Tainted");
  assert.equal(states({ ready: false, reason: "NODE_LOST" }, { taints: [] }), "Lost");
  assert.equal(states(undefined, { unschedulable: true }), "NotReady,SchedulingDisabled");
  assert.equal(states({ ready: true, coolDown: { until: "x" } }), "Ready,Resting");
  assert.deepEqual(proven({ status: { canaries: [{ passed: true }, { passed: false }] } }), { passed: 1, all: 2 });
});
