import assert from "node:assert/strict";
import { test } from "node:test";
import { FieldError, baseName, notAgain, pairsOf, runOf, valuesOf } from "./run_form_model.mjs";

const RUN = {
  metadata: { name: "train-x7k2p", namespace: "team", uid: "u", resourceVersion: "9", labels: { team: "vision", flag: "" } },
  spec: { type: "compute", command: ["python3", "a b.py", "it's"], workspace: "w", artifacts: { dirs: ["out"] }, timeout: "30m", retry: { maxAttempts: 3 },
    sandbox: { limits: { memory: "8Gi", pids: 64 }, env: { SEED: "1" } }, cancelRequested: true },
  status: { phase: "Failed", workspaceRoot: "aa", result: {} },
};

test("a run once more is what it was, of the same files, and nothing of what became of it", () => {
  const again = runOf(RUN, valuesOf(RUN));
  assert.deepEqual(again.metadata, { generateName: "train-", labels: { team: "vision", flag: "" }, annotations: { "paddock.dev/rerun-of": "train-x7k2p" } });
  const { cancelRequested, ...spec } = RUN.spec;
  assert.deepEqual(again, { apiVersion: "paddock.dev/v1alpha1", kind: "Run", metadata: again.metadata, spec: { ...spec, workspaceRoot: "aa" } });
  assert.ok(cancelRequested);
});

test("what is changed is changed, and nothing else", () => {
  const { spec, metadata } = runOf(RUN, { ...valuesOf(RUN), name: "second", command: "python3 b.py", memory: "", cpu: "4", env: "SEED=2\nEMPTY\nURL=a=b", labels: "", latest: true, timeout: "", artifacts: "" });
  assert.deepEqual([metadata.name, metadata.generateName, metadata.labels], ["second", undefined, undefined]);
  assert.deepEqual(spec, { type: "compute", command: "python3 b.py", workspace: "w", retry: { maxAttempts: 3 }, resources: { cpu: 4 }, sandbox: { limits: { pids: 64 }, env: { SEED: "2", EMPTY: "", URL: "a=b" } } });
});

test("a new run has what was typed and no more", () => {
  assert.deepEqual(runOf(undefined, { ...valuesOf(), type: "code", code: "print(1)\n", input: '{"__proto__": 1}' }),
    { apiVersion: "paddock.dev/v1alpha1", kind: "Run", metadata: { generateName: "run-" }, spec: { type: "code", code: "print(1)\n", inputData: JSON.parse('{"__proto__": 1}') } });
  assert.deepEqual(runOf(undefined, { ...valuesOf(), command: "echo hi" }).spec, { type: "command", command: "echo hi" });
});

test("what is no JSON, no pair and no number is said with its field", () => {
  for (const [values, field] of [[{ type: "code", input: "{" }, "input"], [{ labels: "=x" }, "labels"], [{ env: "a=1\n=2" }, "env"], [{ cpu: "two" }, "cpu"]])
    assert.throws(() => runOf(undefined, { ...valuesOf(), ...values }), (error) => error instanceof FieldError && error.field === field);
  assert.deepEqual(Object.entries(pairsOf("labels", "__proto__=1")), [["__proto__", "1"]]);
});

test("the name is the first one's, without the suffix that was made up", () => {
  assert.deepEqual(["train-x7k2p", "train-2", "x7k2p", "a-x7k2p-x7k2p"].map(baseName), ["train-", "train-2-", "x7k2p-", "a-x7k2p-"]);
  assert.equal(notAgain({ status: {} }), "");
  assert.ok(notAgain({ status: { toolBundle: {} } }));
});

test("no value of a variable becomes another variable, and no carriage return is lost", () => {
  const env = { SEED: "1", TEXT: "x\nLD_PRELOAD=/tmp/evil.so", PAD: " a ", __proto__: null };
  const run = { metadata: { name: "a" }, spec: { type: "code", code: "a\r\nb\rc\n", sandbox: { env } }, status: {} };
  const shown = valuesOf(run);
  assert.equal(shown.env, "SEED=1");
  const again = (changes) => runOf(run, { ...shown, code: "a\nb\nc\n", ...changes }).spec;
  assert.deepEqual(again({}), { type: "code", code: "a\r\nb\rc\n", sandbox: { env: { SEED: "1", TEXT: env.TEXT, PAD: " a " } } });
  assert.deepEqual(again({ env: "SEED=2\nPAD=b" }).sandbox.env, { TEXT: env.TEXT, PAD: "b", SEED: "2" });
  assert.equal(again({ code: "d\n" }).code, "d\n");
});
