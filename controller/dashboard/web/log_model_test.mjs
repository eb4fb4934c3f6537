import assert from "node:assert/strict";
import { test } from "node:test";
import { LONGEST_LINE, LogModel, MOST_LINES } from "./log_model.mjs";

const text = (line) => line.pieces.map((piece) => piece.text).join("");

test("half lines of two streams do not mix", () => {
  const log = new LogModel();
  log.push("stdout", "one, ", 0);
  log.push("stderr", "oops\n", 0);
  log.push("stdout", "two\nthree", 0);
  log.push("stdout", "\n", 0);
  assert.deepEqual(log.lines.map((line) => [line.stream, text(line)]), [["stdout", "one, two"], ["stderr", "oops"], ["stdout", "three"]]);
});

test("empty lines stay, and only what changed is told", () => {
  const log = new LogModel();
  assert.equal(log.push("stdout", "a\n\nb\n", 0).length, 3);
  assert.deepEqual(log.lines.map(text), ["a", "", "b"]);
  assert.deepEqual(log.push("stdout", "c", 0).map(text), ["c"]);
  assert.deepEqual(log.push("stdout", "d", 0).map(text), ["cd"]);
  assert.deepEqual(log.push("stdout", "", 0), []);
});

test("a carriage return begins the line anew, wherever it is cut", () => {
  for (let cut = 0; cut < 14; ++cut) {
    const whole = "10%\r50%\r100%\r\nnext\n";
    const log = new LogModel();
    log.push("stdout", whole.slice(0, cut), 0);
    log.push("stdout", whole.slice(cut), 0);
    assert.deepEqual(log.lines.map(text), ["100%", "next"], `cut at ${cut}`);
  }
});

test("styles go on over lines of their own stream", () => {
  const log = new LogModel();
  log.push("stdout", "\x1b[31mred\n", 0);
  log.push("stderr", "plain\n", 0);
  log.push("stdout", "still\x1b[0m not\n", 0);
  assert.deepEqual(log.lines.map((line) => line.pieces.map((piece) => piece.style.colour)), [["red"], [""], ["red", ""]]);
});

test("lines and their number are bounded", () => {
  const log = new LogModel();
  log.push("stdout", "x".repeat(LONGEST_LINE + 5), 0);
  log.push("stdout", "yy\n", 0);
  assert.equal(log.lines[0].raw.length, LONGEST_LINE);
  assert.equal(log.lines[0].cut, 7);
  log.push("stdout", "n\n".repeat(MOST_LINES + 10), 0);
  assert.equal(log.lines.length, MOST_LINES);
  assert.equal(log.dropped, 11);
  assert.equal(log.lines[0].index, 11);
});
