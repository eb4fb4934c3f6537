import assert from "node:assert/strict";
import { test } from "node:test";
import { PLAIN, classes, pieces } from "./ansi.mjs";

const shown = (line) => pieces(line).pieces.map(({ text, style }) => [text, classes(style)]);

test("colours become names of styles", () => {
  assert.deepEqual(shown("a \x1b[1;31mred\x1b[0m b"), [["a ", ""], ["red", "t-bold t-red"], [" b", ""]]);
  assert.deepEqual(shown("\x1b[92mgreen\x1b[39m\x1b[4mline\x1b[24m."), [["green", "t-green"], ["line", "t-underline"], [".", ""]]);
  assert.deepEqual(shown("\x1b[38;5;1mx\x1b[48;2;1;31;4my"), [["x", ""], ["y", ""]]);
});

test("whatever else a terminal would obey is gone or visible", () => {
  assert.deepEqual(shown("\x1b]0;title\x07\x1b]8;;javascript:x\x1b\\link\x1b]8;;\x07\x1b[2J\x1b[9;9Hend"), [["link", ""], ["end", ""]]);
  assert.deepEqual(shown("\x1b[31"), [["␛[31", ""]]);
  assert.deepEqual(shown("\x1b]never ends"), [["␛]never ends", ""]]);
  assert.deepEqual(shown("<b>&amp;"), [["<b>&amp;", ""]]);
});

test("a style goes on to the next line", () => {
  const { style } = pieces("\x1b[33mwarn");
  assert.deepEqual(pieces("more", style).pieces[0].style.colour, "yellow");
  assert.equal(PLAIN.colour, "");
});

// Were an escape read without a bound, these would not end within a day.
test("half escapes in great number are read to their end", () => {
  for (const part of ["\x1b[", "\x1b]", "\x1b[0;", "\x1b]a\x1b"]) {
    const { pieces: all } = pieces(part.repeat(100_000));
    assert.equal(all.map(({ text }) => text).join(""), part.replaceAll("\x1b", "␛").repeat(100_000));
  }
  assert.deepEqual(pieces("\x1b[31m".repeat(100_000)).pieces, []);
});
