import assert from "node:assert/strict";
import { test } from "node:test";
import { age, bytes, clock, duration, parseDuration, parseQuantity, percent, requested, sortEnforced, time } from "./format.mjs";

test("bytes have three digits that say something", () => {
  for (const [count, text] of [[0, "0 B"], [1023, "1023 B"], [1024, "1 KiB"], [1536, "1.5 KiB"], [123456789, "118 MiB"], [2 ** 50, "1 PiB"], [undefined, "–"], [NaN, "–"]])
    assert.equal(bytes(count), text);
});

test("quantities are read as the API writes them", () => {
  for (const [text, count] of [["8Gi", 8 * 2 ** 30], ["512", 512], [7, 7], ["1k", 1000], ["1.5Mi", 1.5 * 2 ** 20]]) assert.equal(parseQuantity(text), count);
  for (const text of ["", "Gi", "1 Gi", "-1", "1Zi", "1e9", undefined, null, {}]) assert.equal(parseQuantity(text), undefined);
});

test("durations are two units at most, and can be read back", () => {
  for (const [ms, text] of [[0, "0ms"], [999, "999ms"], [1500, "1.5s"], [59_999, "59s"], [187_000, "3m7s"], [3_600_000, "1h"], [90_061_000, "1d1h"], [-5, "0s"], [NaN, "0s"]])
    assert.equal(duration(ms), text);
  for (const [text, ms] of [["2m5s", 125_000], ["7s", 7000], ["250ms", 250], ["1d2h", 93_600_000]]) assert.equal(parseDuration(text), ms);
  for (const text of ["", "<none>", "5", "s", "5 s", "-5s", undefined]) assert.equal(parseDuration(text), undefined);
});

test("ages tick in whole seconds and are never negative", () => {
  assert.equal(age(1000, 4999), "3s");
  assert.equal(age(5000, 4000), "0s");
});

test("times that are none stay out of sight", () => {
  assert.equal(time("not a time"), undefined);
  assert.equal(time(undefined), undefined);
  assert.equal(clock(undefined), "–");
  assert.match(clock(time("2026-01-02T03:04:05Z")), /^2026-01-0[123] \d\d:04:05$/);
});

test("what is not in force comes first", () => {
  const names = sortEnforced({ network: { applied: true }, memory: { applied: false }, cpu: { applied: true } }).map(([name]) => name);
  assert.deepEqual(names, ["memory", "cpu", "network"]);
  assert.deepEqual(sortEnforced(undefined), []);
});

test("small things", () => {
  assert.equal(percent(1, 3), "33 %");
  assert.equal(percent(1, 0), "–");
  for (const [value, text] of [[true, "yes"], [false, "no"], ["", "–"], [null, "–"], [0, "0"], [{ a: 1 }, '{"a":1}']]) assert.equal(requested(value), text);
});
