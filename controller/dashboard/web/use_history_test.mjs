import assert from "node:assert/strict";
import test from "node:test";
import { KINDS, SPAN_MS, amount, chartOf, chartWords, pieces, sampleOf, withSample } from "./use_history.mjs";

const [CPU, MEMORY] = KINDS;
const sample = (seconds, cpu) => ({ at: seconds * 1000, used: cpu === undefined ? {} : { cpu } });

test("amounts are read as metrics.k8s.io writes them, and what is none is not measured", () => {
  assert.deepEqual(["1250m", "0m", "4096", "2", "", undefined, -1, "1e9m", "<b>", "NaN"].map(amount),
    [1.25, 0, 4096, 2, undefined, undefined, undefined, undefined, undefined, undefined]);
  const timestamp = "2026-01-01T00:00:00Z";
  assert.deepEqual(sampleOf({ timestamp, usage: { cpu: "1500m", memory: "1024", other: "7" } }), { at: Date.parse(timestamp), used: { cpu: 1.5, memory: 1024 } });
  assert.deepEqual(sampleOf({ timestamp, containers: [{ usage: { cpu: "1", memory: "x" } }] }).used, { cpu: 1 });
  assert.deepEqual(sampleOf({ timestamp: "then" }), { at: undefined, used: {} });
});

test("what was heard twice is kept once, what is old is forgotten, and a clock that was set back begins anew", () => {
  let samples = [];
  for (const each of [sample(0, 1), sample(0, 1), sample(5, 2), { at: undefined, used: {} }]) samples = withSample(samples, each);
  assert.deepEqual(samples.map(({ at }) => at), [0, 5000]);
  samples = withSample(samples, sample(SPAN_MS / 1000 + 5, 3));
  assert.deepEqual(samples.map(({ at }) => at), [5000, SPAN_MS + 5000]);
  assert.deepEqual(withSample(samples, sample(1, 4)), [sample(1, 4)]);
  for (let i = 0; i < 2000; ++i) samples = withSample(samples, { at: 1_000_000 + i, used: {} });
  assert.equal(samples.length, 500);
});

test("a line ends where nothing was heard or measured", () => {
  const samples = [sample(0, 1), sample(5, 2), sample(60, 3), sample(65), sample(70, 4)];
  assert.deepEqual(pieces(samples, "cpu").map((part) => part.map(({ value }) => value)), [[1, 2], [3], [4]]);
  assert.deepEqual(pieces(samples, "memory"), []);
});

test("a chart is as high as what there is, or a round number when little of that is used", () => {
  const top = (kind, value, whole) => chartOf(kind, [{ at: 0, used: { [kind.name]: value } }], whole).top;
  assert.equal(top(CPU, 3, 4), 4);
  assert.equal(top(CPU, 0.3, 64), 0.5);
  assert.equal(top(CPU, 0, 64), 0.1);
  assert.equal(top(CPU, 1.5, undefined), 2);
  assert.equal(top(CPU, 3, 2), 5);
  assert.equal(top(MEMORY, 700 * 2 ** 20, 3 * 2 ** 30), 2 ** 30);
  assert.equal(top(MEMORY, 2.5 * 2 ** 30, 3 * 2 ** 30), 3 * 2 ** 30);
  assert.equal(top(MEMORY, 5, undefined), 2 ** 20);
  assert.equal(chartOf(CPU, [sample(0, 3)], 2).bound, 60);
  assert.equal(chartOf(CPU, [sample(0, 1)], 2).bound, undefined);
  assert.equal(chartOf(CPU, [sample(0)], 2), undefined);
});

test("a line runs from the first that was heard to now, over no less than a minute", () => {
  const lines = (samples) => chartOf(CPU, samples, 4).lines;
  assert.deepEqual(lines([sample(0, 4), sample(15, 2), sample(30, 0)]), [[[500, 0], [750, 50], [1000, 100]]]);
  assert.deepEqual(lines([sample(0, 4), sample(30, 4), sample(60, 2), sample(90, 2), sample(120, 0)])[0].map(([x]) => x), [0, 250, 500, 750, 1000]);
});

test("a chart is told in words", () => {
  const words = (samples, whole) => chartWords(CPU, chartOf(CPU, samples, whole));
  assert.equal(words([sample(0, 1.5), sample(5, 1)], 4), "Processor: 1 of 4 cores; at most 1.5 cores in the last minute");
  assert.equal(words([sample(0, 0.256), sample(30, 0.1), sample(60), sample(120)], undefined), "Processor: not measured now; at most 0.26 cores in the last 2 minutes");
});
