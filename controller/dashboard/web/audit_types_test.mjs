import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { TYPES } from "./audit_types.mjs";

const DOCUMENT = readFileSync(new URL("../../../docs/audit.md", import.meta.url), "utf8");

const CONTRACT = readFileSync(new URL("../../../common/contracts/audit.h", import.meta.url), "utf8");

test("they are the types that the server's own code has", () => {
  const written = [...CONTRACT.matchAll(/string_view k\w+ = "([a-z]+\.[a-z]+)";/g)].map(([, name]) => name);
  assert.ok(written.length > 20);
  assert.deepEqual([...TYPES].sort(), written.sort());
});

test("whatever the log can have can be chosen, and nothing else", () => {
  const table = DOCUMENT.split("## Types")[1].split("\n\n")[1];
  const documented = table.split("\n").slice(2).flatMap((row) => [...row.split("|")[1].matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  assert.ok(documented.includes("command.start"));
  assert.deepEqual(TYPES, documented);
});
