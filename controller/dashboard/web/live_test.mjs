import assert from "node:assert/strict";
import test from "node:test";
import { sameObject } from "./live.mjs";

const object = (uid, phase) => ({ metadata: { name: "a", uid }, phase });

test("an object that took the name of another does not go on in its page", () => {
  const seen = [];
  const take = sameObject((now) => seen.push(now?.phase ?? "none"), () => seen.push("replaced"));
  for (const now of [undefined, object("1", "Running"), object("1", "Failed"), undefined, object("2", "Running")]) take(now);
  assert.deepEqual(seen, ["none", "Running", "Failed", "none", "replaced"]);
});
