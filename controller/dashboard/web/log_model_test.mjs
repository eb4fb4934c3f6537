import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_PIECES } from "./ansi.mjs";
import { CHUNK, LONGEST_LINE, LogModel, MOST_LINES, piecesOf } from "./log_model.mjs";
import { Search, marked, nextHit, search } from "./log_search.mjs";

const text = (line) => piecesOf(line).map((piece) => piece.text).join("");
const texts = (log) => log.lines.map(text);

test("half lines of two streams do not mix", () => {
  const log = new LogModel();
  log.push("stdout", "one, ", 0);
  log.push("stderr", "oops\n", 0);
  log.push("stdout", "two\nthree", 0);
  log.push("stdout", "\n", 0);
  assert.deepEqual(log.lines.map((line) => [line.stream, text(line)]), [["stdout", "one, two"], ["stderr", "oops"], ["stdout", "three"]]);
});

test("empty lines stay, and only where something changed is told", () => {
  const log = new LogModel();
  log.push("stdout", "half", 0);
  assert.deepEqual([...log.push("stderr", "a\n\nb\n".repeat(CHUNK), 0)].length, 4);
  assert.deepEqual([...log.push("stdout", "whole\n", 0)], [0]);
  assert.deepEqual(texts(log).slice(0, 4), ["halfwhole", "a", "", "b"]);
  assert.deepEqual([...log.push("stdout", "", 0)], []);
  assert.deepEqual([log.at(0).version, log.at(1).version], [2, 1]);
});

test("a carriage return begins the line anew, wherever it is cut", () => {
  for (let cut = 0; cut < 14; ++cut) {
    const whole = "10%\r50%\r100%\r\nnext\n";
    const log = new LogModel();
    log.push("stdout", whole.slice(0, cut), 0);
    log.push("stdout", whole.slice(cut), 0);
    assert.deepEqual(texts(log), ["100%", "next"], `cut at ${cut}`);
  }
});

test("styles go on over lines of their own stream", () => {
  const log = new LogModel();
  log.push("stdout", "\x1b[31mred\n", 0);
  log.push("stderr", "plain\n", 0);
  log.push("stdout", "red still\n", 0);
  log.push("stdout", "still\x1b[0m not\n", 0);
  assert.deepEqual(log.lines.map((line) => piecesOf(line).map((piece) => piece.style.colour)), [["red"], [""], ["red"], ["red", ""]]);
});

test("100,000 lines are there, each by its number", () => {
  const log = new LogModel();
  for (let i = 0; i < 100; ++i) log.push("stdout", Array.from({ length: 1000 }, (_, j) => `line ${i * 1000 + j}\n`).join(""), 0);
  assert.equal(log.end, 100_000);
  assert.equal(log.dropped, 0);
  assert.equal(text(log.at(77_777)), "line 77777");
  assert.equal(text(log.chunk(499)[0]), "line 99800");
  assert.deepEqual(search(log, "LINE 9999").slice(0, 2), [9999, 99_990]);
});

test("lines, their length and the number of characters are bounded", () => {
  const log = new LogModel();
  log.push("stdout", "x".repeat(LONGEST_LINE + 5), 0);
  log.push("stdout", "yy\n", 0);
  assert.equal(log.lines[0].raw.length, LONGEST_LINE);
  assert.equal(log.lines[0].cut, 7);
  log.push("stdout", "n\n".repeat(MOST_LINES + 10), 0);
  assert.ok(log.lines.length <= MOST_LINES && log.dropped === CHUNK);
  assert.equal(log.lines[0].index, CHUNK);
  assert.equal(log.at(0), undefined);
  const small = new LogModel({ characters: 1000 });
  small.push("stdout", `${"z".repeat(99)}\n`.repeat(3 * CHUNK), 0);
  assert.equal(small.lines.length, CHUNK);
  assert.equal(small.dropped, 2 * CHUNK);
});

test("a text is found over colours and marked where it is", () => {
  const log = new LogModel();
  log.push("stdout", "an \x1b[31mErr\x1b[0mor here, error\nnothing\n<b>ERROR</b>\n", 0);
  assert.deepEqual(search(log, "error"), [0, 2]);
  assert.deepEqual(search(log, ""), []);
  assert.deepEqual(search(log, "n", 1), [0]);
  assert.deepEqual(marked(piecesOf(log.at(0)), "error").map((piece) => [piece.text, piece.hit]),
    [["an ", false], ["Err", true], ["or", true], [" here, ", false], ["error", true]]);
  assert.deepEqual(marked(piecesOf(log.at(1)), "error").map((piece) => piece.text), ["nothing"]);
  assert.deepEqual(marked(piecesOf(log.at(2)), "").length, 1);
});

test("the next hit is after where one is, and around the end", () => {
  assert.deepEqual([nextHit([3, 7], -1, 1), nextHit([3, 7], 3, 1), nextHit([3, 7], 7, 1), nextHit([3, 7], 3, -1), nextHit([3, 7], 9, -1), nextHit([], 0, 1)], [0, 1, 0, 1, 1, -1]);
});

test("a search goes on bit by bit, and looks again at what may have changed", () => {
  const log = new LogModel();
  log.push("stderr", "half of a li", 0);
  log.push("stdout", "a hit\nnone\na hit\n", 0);
  const found = new Search("hit");
  let steps = 1;
  for (let clock = 0; !found.step(log, ++clock + 1, () => clock++); ++steps) assert.ok(steps < 20);
  assert.ok(steps > 1);
  assert.deepEqual(found.found, [1, 3]);
  log.push("stderr", "ne, a hit\n", 0);
  log.push("stdout", "hit\n", 0);
  assert.ok(found.step(log));
  assert.deepEqual(found.found, [0, 1, 3, 4]);
  assert.ok(found.step(log));
  assert.deepEqual(found.found, [0, 1, 3, 4]);
  log.push("stdout", "x\n".repeat(MOST_LINES), 0);
  assert.ok(found.step(log));
  assert.deepEqual(found.found, []);
});

test("a line of many colours is few pieces, with all of its text and the style of its end", () => {
  const log = new LogModel();
  log.push("stdout", `${"\x1b[31ma\x1b[32mb".repeat(1300)}\x1b[33m\nnext\n`, 0);
  assert.equal(piecesOf(log.at(0)).length, MOST_PIECES);
  assert.equal(text(log.at(0)), "ab".repeat(1300));
  assert.equal(piecesOf(log.at(1))[0].style.colour, "yellow");
});
