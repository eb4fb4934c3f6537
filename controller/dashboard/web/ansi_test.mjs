import assert from "node:assert/strict";
import { test } from "node:test";
import { PLAIN, look, pieces } from "./ansi.mjs";
import { contrast, indexed, paint, readable } from "./ansi_colour.mjs";

const shown = (line) => pieces(line).pieces.map(({ text, style }) => [text, look(style).classes]);

test("colours become names of styles", () => {
  assert.deepEqual(shown("a \x1b[1;31mred\x1b[0m b"), [["a ", ""], ["red", "t-bold t-red"], [" b", ""]]);
  assert.deepEqual(shown("\x1b[92mgreen\x1b[39m\x1b[4mline\x1b[24m."), [["green", "t-green"], ["line", "t-underline"], [".", ""]]);
  assert.deepEqual(shown("\x1b[9mold\x1b[29m \x1b[4:3mcurly\x1b[4:0m."), [["old", "t-strike"], [" ", ""], ["curly", "t-underline"], [".", ""]]);
});

test("256 and direct colours are those, also with colons, and their arguments are no codes", () => {
  const styles = (line) => pieces(line).pieces.map(({ style }) => [style.colour, style.behind, style.bold]);
  assert.deepEqual(styles("\x1b[38;5;1mx\x1b[48;2;1;31;4my"), [["red", "", false], ["red", [1, 31, 4], false]]);
  assert.deepEqual(styles("\x1b[38:2::255:120:0;1mx"), [[[255, 120, 0], "", true]]);
  assert.deepEqual(styles("\x1b[38:5:196mx\x1b[48:2:1:2:3my"), [[[255, 0, 0], "", false], [[255, 0, 0], [1, 2, 3], false]]);
  assert.deepEqual(styles("\x1b[38;5mx"), [["black", "", false]]);
  assert.deepEqual(styles("\x1b[38;9;1mx"), [["", "", true]]);
  assert.deepEqual([indexed(16), indexed(231), indexed(232), indexed(255), indexed(9)], [[0, 0, 0], [255, 255, 255], [8, 8, 8], [238, 238, 238], "red"]);
});

test("no text can have the colour of what is behind it", () => {
  for (const colour of [[0, 0, 0], [255, 255, 255], [11, 13, 17], [128, 128, 128], [255, 255, 0]]) {
    for (const behind of [[0, 0, 0], [255, 255, 255], [11, 13, 17], [128, 128, 128]]) assert.ok(contrast(readable(colour, behind), behind) >= 4.5, `${colour} on ${behind}`);
  }
  const [{ style }] = pieces("\x1b[38;2;9;9;9;48;2;9;9;9mhidden").pieces;
  assert.deepEqual(look(style), { classes: "t-behind", variables: { "--behind": "rgb(9 9 9)", "--ink": paint({ colour: [9, 9, 9], behind: [9, 9, 9] }).variables["--ink"] } });
  assert.notEqual(look(style).variables["--ink"], "rgb(9 9 9)");
});

test("inverse turns text and what is behind it around", () => {
  assert.deepEqual(shown("\x1b[7mx\x1b[27my"), [["x", "t-inverse"], ["y", ""]]);
  assert.equal(paint({ colour: "red", inverse: true }).variables["--behind"], "rgb(187 0 0)");
  assert.equal(paint({ colour: [1, 2, 3], behind: "white", inverse: true }).variables["--behind"], "rgb(1 2 3)");
});

test("whatever else a terminal would obey is gone or visible", () => {
  assert.deepEqual(shown("\x1b]0;title\x07\x1b]8;;javascript:x\x1b\\link\x1b]8;;\x07\x1b[2J\x1b[9;9Hend"), [["link", ""], ["end", ""]]);
  assert.deepEqual(shown("\x1b[31"), [["␛[31", ""]]);
  assert.deepEqual(shown("\x1b]never ends"), [["␛]never ends", ""]]);
  assert.deepEqual(shown("<b>&amp;"), [["<b>&amp;", ""]]);
  assert.deepEqual(shown("\x1b[8mconcealed"), [["concealed", ""]]);
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
