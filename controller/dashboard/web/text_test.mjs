import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, commandLine, executed, visible } from "./text.mjs";

test("nothing hides and nothing turns around", () => {
  assert.equal(visible("a\u202egnp.exe"), "a⟨202e⟩gnp.exe");
  assert.equal(visible("nul\0 bell\x07 esc\x1b del\x7f c1\x9b"), "nul␀ bell␇ esc␛ del␡ c1⟨009b⟩");
  assert.equal(visible("\u200bx\ufeff\u2066y\u2069\u2028"), "⟨200b⟩x⟨feff⟩⟨2066⟩y⟨2069⟩⟨2028⟩");
  assert.equal(visible("tab\tand\nline, ünï, 漢字, 🙂"), "tab\tand\nline, ünï, 漢字, 🙂");
  assert.equal(visible("tra\u00adin\u3164\u{e0041}"), "tra⟨00ad⟩in⟨3164⟩⟨e0041⟩");
  assert.equal(visible("👩\u200d💻 ❤\ufe0f क\u200dष"), "👩\u200d💻 ❤\ufe0f क\u200dष");
  assert.equal(visible(undefined), "");
  assert.equal(visible({}), "[object Object]");
});

test("brief is one line and bounded", () => {
  assert.equal(brief("a\n  b\t c "), "a b c");
  assert.equal(brief("x".repeat(300)).length, 200);
});

test("a command reads as one would type it", () => {
  assert.equal(commandLine(["python3", "job.py", "--name", "it's here", ""]), "python3 job.py --name 'it'\\''s here' ''");
  assert.equal(commandLine("python3 job.py"), "python3 job.py");
  assert.equal(commandLine(undefined), "");
  assert.equal(executed({ type: "test", command: ["pytest", "-x"] }), "pytest -x");
  assert.equal(executed({ type: "code", code: "é" }), "code of 2 bytes");
});
