import assert from "node:assert/strict";
import test from "node:test";
import { Selection, doable, eachOf } from "./run_selection.mjs";

const row = (uid, Phase = "Running") => ({ metadata: { uid }, cells: { Phase } });
const uids = (rows) => rows.map(({ metadata }) => metadata.uid);

test("what has left the list is chosen no more, also when it comes back", () => {
  const selection = new Selection();
  const [a, b, c] = ["a", "b", "c"].map((uid) => row(uid));
  selection.set(["a", "b"], true);
  assert.deepEqual(uids(selection.among([c, b, a])), ["b", "a"]);
  assert.deepEqual(uids(selection.among([a, c])), ["a"]);
  assert.deepEqual(uids(selection.among([a, b, c])), ["a"]);
  selection.set(["a"], false);
  assert.deepEqual(selection.among([a]), []);
});

test("what runs is canceled, what has ended is deleted or had once more", () => {
  const { cancel, again, away } = doable([row("p", "Pending"), row("r"), row("f", "Failed"), row("s", "Succeeded")]);
  assert.deepEqual([cancel, again, away].map(uids), [["p", "r"], ["f", "s"], ["f", "s"]]);
});

test("each is answered on its own, and one that fails stops no other", async () => {
  const told = [];
  let now = 0;
  let most = 0;
  const act = async (item) => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    --now;
    if (item % 3 === 0) throw new Error(`no ${item}`);
  };
  const items = [1, 2, 3, 4, 5, 6, 7];
  assert.deepEqual(await eachOf(items, act, (item, error) => told.push([item, error?.message]), 2), [3, 6]);
  assert.deepEqual(told.sort(([a], [b]) => a - b), items.map((item) => [item, item % 3 ? undefined : `no ${item}`]));
  assert.equal(most, 2);
  assert.deepEqual(await eachOf([], act, () => assert.fail("nothing to tell")), []);
});
