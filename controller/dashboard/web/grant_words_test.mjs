import assert from "node:assert/strict";
import { test } from "node:test";
import { grantLimits, quotaRows } from "./grant_words.mjs";

const SPEC = {
  subjects: ["ci"], media: { surfaces: ["image"], models: ["small"], count: 100 },
  compute: { accelerators: [{ kind: "nvidia", count: 2 }], cpu: 16, memory: "64Gi", timeout: "2h", quota: { runs: 100, memory: "1Ti", accelerators: [{ kind: "nvidia", count: 4 }] } },
};

test("a grant's bounds are told, and nothing where there is none", () => {
  assert.deepEqual(grantLimits(SPEC), ["16 cores", "64 GiB", "2 × nvidia", "timeout 2h", "media: image, small, 100 in all"]);
  assert.deepEqual(grantLimits({}), []);
  assert.deepEqual(grantLimits(undefined), []);
});

test("of a quota what is used is counted in its own unit", () => {
  assert.deepEqual(quotaRows({ spec: SPEC, status: { mediaUsed: 3, quotaUsed: { runs: 2, memory: "16Gi", accelerators: [{ kind: "nvidia", count: 1 }] } } }), [
    { name: "runs", used: 2, whole: 100 }, { name: "memory", used: 16 * 2 ** 30, whole: 2 ** 40 }, { name: "nvidia", used: 1, whole: 4 }, { name: "media", used: 3, whole: 100 }]);
  assert.deepEqual(quotaRows({ spec: {} }), []);
});
