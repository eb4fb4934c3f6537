import assert from "node:assert/strict";
import { test } from "node:test";
import { address, parseAddress, pathWord, pathWords, plainWords } from "./address.mjs";

test("an address has words and what is chosen, and can be read back", () => {
  assert.equal(address(["runs"], { q: "team=a b&c", phase: "Failed", ns: "", sort: undefined }), "#/runs?q=team%3Da+b%26c&phase=Failed");
  const { words, query } = parseAddress(address(["runs", "a/b", "<x>?#"], { line: 3 }));
  assert.deepEqual(words, ["runs", "a/b", "<x>?#"]);
  assert.equal(query.get("line"), "3");
});

test("an address that is broken is still one", () => {
  assert.deepEqual(parseAddress("#/runs/%zz/%").words, ["runs", "%zz", "%"]);
  assert.deepEqual(parseAddress("").words, []);
  assert.deepEqual(parseAddress("#//runs//").words, ["runs"]);
});

test("no word of an address leads to another place of the API", () => {
  for (const bad of ["#/storage/workspaces/default/.", "#/runs/../x", "#/runs/%2e%2E/x"]) assert.equal(plainWords(parseAddress(bad).words), false, bad);
  assert.equal(plainWords(parseAddress("#/runs/default/...a").words), true);
  for (const bad of ["", ".", ".."]) assert.throws(() => pathWord(bad), RangeError);
  for (const bad of ["a/../b", "/a", "a//b", "a/."]) assert.throws(() => pathWords(bad), RangeError);
  for (const word of ["%2e%2e", ".\t.", "a\\..", "..;", "?", "#"]) {
    assert.equal(new URL(`/runs/${pathWord(word)}`, "https://x/").pathname, `/runs/${encodeURIComponent(word)}`);
  }
});
