import assert from "node:assert/strict";
import { test } from "node:test";
import { EventSplitter, LineSplitter } from "./streams.mjs";

const STREAM = ": ok\n\nid: 1\nevent: phase\ndata: {\"phase\":\"Running\"}\n\n: hb\n\nid: 2\nevent: stdout\ndata: {\"data\":\"a\\nb\"}\n\n";

test("events are the same wherever the stream is cut", () => {
  const whole = new EventSplitter().push(STREAM);
  assert.deepEqual(whole, [{ id: "1", type: "phase", data: '{"phase":"Running"}' }, { id: "2", type: "stdout", data: '{"data":"a\\nb"}' }]);
  for (let cut = 0; cut <= STREAM.length; ++cut) {
    const splitter = new EventSplitter();
    assert.deepEqual([...splitter.push(STREAM.slice(0, cut)), ...splitter.push(STREAM.slice(cut))], whole);
  }
});

test("a half event is none, and lines of data are joined", () => {
  assert.deepEqual(new EventSplitter().push("data: a\ndata: b\n"), []);
  assert.deepEqual(new EventSplitter().push("data: a\r\ndata\r\ndata:b\r\n\r\n"), [{ id: "", type: "message", data: "a\n\nb" }]);
});

test("lines are whole or kept, and bounded", () => {
  const lines = new LineSplitter(10);
  assert.deepEqual(lines.push("a\nb"), ["a"]);
  assert.deepEqual(lines.push("c\n\n"), ["bc", ""]);
  assert.throws(() => lines.push("x".repeat(11)), RangeError);
});
