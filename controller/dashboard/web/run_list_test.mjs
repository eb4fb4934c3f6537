import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenOf, fits, matches, nextSort, queryOf, sorted, whyText } from "./run_list.mjs";

const row = (name, cells = {}, more = {}) => ({ metadata: { name, namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z", ...more }, cells: { Phase: "Succeeded", Command: "python3 a.py", Node: "n1", Reason: "<none>", RC: "0", Duration: "5s", ...cells } });
const names = (rows) => rows.map(({ metadata }) => metadata.name);

test("a run is found by each word of its name, command, node, reason, exit code and labels", () => {
  const one = row("train-1", { Reason: "MEM_LIMIT", RC: "137" }, { labels: { team: "vision", flag: "" } });
  for (const text of ["", "train", "A.PY", "n1", "mem_limit", "team=vision", "vision", "flag", "rc=137", "  train   team=vision "]) assert.ok(matches(one, { text }), text);
  for (const text of ["team=speech", "train speech", "none", "rc=0", "<script>"]) assert.ok(!matches(one, { text }), text);
  assert.ok(!matches(one, { namespace: "team" }));
  const now = Date.parse("2026-01-01T01:00:00Z");
  assert.ok(matches(one, { since: "1h" }, now) && !matches(one, { since: "1h" }, now + 1) && matches(one, { since: "1d" }, now + 1));
});

test("beside a phase stands what says more than the phase", () => {
  const why = (Phase, Reason, RC) => whyText({ Phase, Reason, RC });
  assert.deepEqual([why("Failed", "NonZeroExit", "42"), why("Failed", "NonZeroExit", "<none>"), why("Failed", "MEM_LIMIT", "137"), why("Succeeded", "Completed", "0"), why("Running", "<none>", "<none>")],
    ["exit code 42", "NonZeroExit", "MEM_LIMIT", "", ""]);
});

test("a choice of phase is a phase, or those that have not ended", () => {
  assert.ok(fits(row("a", { Phase: "Pending" }), "Active") && !fits(row("a"), "Active") && fits(row("a"), "All") && !fits(row("a"), "Failed"));
});

test("the newest come first unless something else is asked for", () => {
  const rows = [row("b", { Duration: "1m" }), row("c", { Duration: "<none>" }, { creationTimestamp: "2026-01-02T00:00:00Z" }), row("a", { Node: "<none>" })];
  assert.deepEqual(names(sorted(rows, "age")), ["c", "a", "b"]);
  assert.deepEqual(names(sorted(rows, "-age")), ["b", "a", "c"]);
  assert.deepEqual(names(sorted(rows, "name")), ["a", "b", "c"]);
  assert.deepEqual(names(sorted(rows, "duration")), ["b", "a", "c"]);
  assert.deepEqual(names(sorted(rows, "node")), ["a", "c", "b"]);
  assert.deepEqual(names(sorted(rows, "nonsense")), ["c", "a", "b"]);
  assert.equal(nextSort("name", "name"), "-name");
  assert.equal(nextSort("-name", "name"), "name");
});

test("what an address chooses is known, or the default", () => {
  const chosen = { phase: "Failed", text: "team=a", namespace: "x", since: "7d", sort: "-duration" };
  assert.deepEqual(chosenOf(new URLSearchParams(Object.entries(queryOf(chosen)))), chosen);
  assert.deepEqual(chosenOf(new URLSearchParams("phase=__proto__&sort=constructor&since=1y")), { phase: "All", text: "", namespace: "", since: "", sort: "age" });
  assert.deepEqual(Object.values(queryOf(chosenOf(new URLSearchParams()))).filter(Boolean), []);
});
