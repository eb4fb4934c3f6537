import assert from "node:assert/strict";
import { test } from "node:test";
import { asksFor, endWords, inputText, neverStarted, reached, resourcesText, retryText, whyItWaits } from "./run_words.mjs";

test("a run that failed while it was prepared came to Preparing", () => {
  assert.equal(reached({ phase: "Failed", scheduledAt: "x", timingsMs: { queue: 7, workspace: 1, environment: 27 } }), 2);
  assert.equal(reached({ phase: "Failed", scheduledAt: "x", timingsMs: { queue: 7 } }), 1);
  assert.equal(reached({ phase: "Succeeded", scheduledAt: "x", startedAt: "y" }), 3);
  assert.equal(reached({ phase: "Canceled" }), 0);
  assert.equal(reached({ phase: "Preparing" }), 2);
  assert.ok(neverStarted({ status: { phase: "Failed", timingsMs: { environment: 1 } } }));
  assert.ok(!neverStarted({ status: { phase: "Running" } }));
});

test("an end is told by one word, and by a second only where that is another", () => {
  assert.deepEqual(endWords({ reason: "NonZeroExit", result: { status: "FAILED", code: "E_CAPABILITY_DENIED" } }), ["NonZeroExit", "E_CAPABILITY_DENIED"]);
  assert.deepEqual(endWords({ reason: "MEM_LIMIT", result: { code: "MEM_LIMIT" } }), ["MEM_LIMIT"]);
  assert.deepEqual(endWords({}), []);
});

test("why a run waits is the controller's sentence as it stands", () => {
  const message = "0/3 nodes fit: 2 have no nvidia device; would help: add one; position 2 in the queue";
  assert.equal(whyItWaits({ status: { message } }), message);
  assert.match(whyItWaits({ status: {} }), /not looked at it yet/);
});

test("what was asked for is there, and nothing that was not", () => {
  assert.deepEqual(asksFor({}), []);
  const all = new Map(asksFor({ resources: { cpu: 2, memory: "1Gi", accelerators: { kind: "nvidia", count: 1 } }, timeout: "10m", terminationGrace: "30s",
    retry: { maxAttempts: 3, backoff: "10s", maxBackoff: "10m", on: ["NodeLost"] }, requirements: "requirements.txt", volumes: [{ name: "v", version: 2 }, { name: "w" }],
    secrets: [{ name: "db", key: "password", variable: "PGPASSWORD" }], nodeSelector: { zone: "a" }, tolerations: [{ key: "gpu", value: "only", effect: "NoSchedule" }, { operator: "Exists" }],
    sandbox: { network: { enabled: true, allowDomains: ["pypi.example"] }, limits: { pids: 64 }, env: { SEED: "1" } } }));
  assert.equal(all.get("Asks for"), "2 cores, 1 GiB, 1 × nvidia");
  assert.equal(all.get("Timeout"), "10m, then 30s of grace");
  assert.equal(all.get("Retry"), "3 attempts after NodeLost, first pause 10s, longest 10m");
  assert.deepEqual(all.get("Volumes"), ["v@2", "w"]);
  assert.deepEqual(all.get("Secrets"), ["db/password as PGPASSWORD"]);
  assert.deepEqual(all.get("Tolerates"), ["gpu=only:NoSchedule", "every taint"]);
  assert.deepEqual([all.get("Network"), all.get("Own limits"), all.get("Environment")], ["pypi.example", ["pids=64"], ["SEED=1"]]);
  assert.equal(resourcesText(undefined), "");
  assert.equal(retryText(undefined), "");
  assert.equal(inputText({ inputData: { text: "<b>" } }), '{\n  "text": "<b>"\n}');
  assert.equal(inputText({ inputData: null }), "");
});
