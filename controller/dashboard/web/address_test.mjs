import assert from "node:assert/strict";
import { test } from "node:test";
import { address, parseAddress } from "./address.mjs";

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
