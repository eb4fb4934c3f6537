import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf, saidOf, shortDigest } from "./audit_words.mjs";

test("an event leads to what it is about, if that is shown", () => {
  assert.deepEqual(placeOf({ object: "runs/a", namespace: "x" }), ["runs", "x", "a"]);
  assert.deepEqual(placeOf({ object: "sandboxes/s", namespace: "x" }), ["sessions", "x", "s"]);
  assert.deepEqual(placeOf({ object: "volumes/v", namespace: "x" }), ["storage", "volumes", "x", "v"]);
  assert.deepEqual(placeOf({ object: "nodes/n" }), ["nodes", "n"]);
  for (const event of [{}, { object: "tokens/pdk-1", namespace: "x" }, { object: "runs/a" }, { object: "__proto__/a", namespace: "x" }, { object: "runs/a/b", namespace: "x" }]) assert.equal(placeOf(event), undefined);
});

test("a denial is a sentence", () => {
  const { sentence, pairs } = saidOf({ type: "capability.denied", details: { count: 4, executable: "/usr/bin/dash", rule: "tools", target: "/usr/bin/curl", what: "execute", more: 1 } });
  assert.equal(sentence, "execute /usr/bin/curl by /usr/bin/dash, 4 times: tools");
  assert.deepEqual(pairs, [["more", "1"]]);
});

test("what one looks for first comes first, and the token's id last", () => {
  assert.deepEqual(saidOf({ type: "command.complete", details: { token: "pdk-1", durationMs: 7, abc: "x", rc: 0, status: "OK" } }),
    { sentence: "", pairs: [["status", "OK"], ["rc", "0"], ["durationMs", "7"], ["abc", "x"], ["token", "pdk-1"]] });
  const root = "0123456789abcdef".repeat(4);
  assert.deepEqual(saidOf({ type: "workspace.write", details: { bytes: 7, root, files: 2, size: 1, token: "pdk-1" } }).pairs,
    [["files", "2"], ["bytes", "7"], ["size", "1"], ["root", root], ["token", "pdk-1"]]);
  assert.deepEqual([root, "", "12", `${root}0`].map(shortDigest), ["0123456789ab…", "", "12", `${root}0`]);
  assert.deepEqual(saidOf({ type: "x" }), { sentence: "", pairs: [] });
});
