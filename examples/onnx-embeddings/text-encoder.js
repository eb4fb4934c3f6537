// A small text encoder: words and their three-letter parts are hashed to rows of a table, the rows
// are averaged, projected and normalised. Its weights are pseudo-random and always the same, so
// texts that share words are near one another. The model is ONNX; `encodeHere` does the same in
// plain JavaScript, to check the one with the other.
"use strict";

const onnx = require("./onnx-writer.js");

const ROWS = 4096; // row 0 is zero: padding
const WIDTH = 64;
const DIMS = 128;
const TOKENS = 64; // of one text; the rest is cut

// mulberry32: as good as these weights need, and the same everywhere.
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function weights(count, seed) {
  const next = randomNumbers(seed);
  return Float32Array.from({ length: count }, () => next() + next() + next() - 1.5);
}

const table = weights(ROWS * WIDTH, 1).fill(0, 0, WIDTH);
const projection = weights(WIDTH * DIMS, 2);

// FNV-1a, to a row that is not the padding's.
function rowOf(token) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(token)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return 1 + (hash % (ROWS - 1));
}

function tokensOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  const parts = words.flatMap((word) =>
    Array.from({ length: Math.max(0, word.length - 2) }, (_, at) => "#" + word.slice(at, at + 3)));
  return [...words, ...parts].slice(0, TOKENS);
}

// TOKENS row numbers per text, padded.
function rowsOf(texts) {
  const rows = new BigInt64Array(texts.length * TOKENS);
  texts.forEach((text, at) => tokensOf(text).forEach((token, i) => (rows[at * TOKENS + i] = BigInt(rowOf(token)))));
  return rows;
}

function modelBytes() {
  return onnx.model("text-encoder", [
    onnx.node("Gather", ["table", "rows"], "vectors", { axis: 0 }),
    onnx.node("ReduceMean", ["vectors"], "mean", { axes: [1], keepdims: 0 }),
    onnx.node("MatMul", ["mean", "projection"], "projected"),
    onnx.node("LpNormalization", ["projected"], "embedding", { axis: -1, p: 2 }),
    onnx.initializer("table", [ROWS, WIDTH], table),
    onnx.initializer("projection", [WIDTH, DIMS], projection),
    onnx.input("rows", onnx.INT64, ["texts", TOKENS]),
    onnx.output("embedding", onnx.FLOAT, ["texts", DIMS]),
  ]);
}

function encodeHere(text) {
  const mean = new Float64Array(WIDTH);
  for (const row of rowsOf([text])) {
    for (let i = 0; i < WIDTH; ++i) mean[i] += table[Number(row) * WIDTH + i] / TOKENS;
  }
  const out = Float64Array.from({ length: DIMS }, (_, d) =>
    mean.reduce((sum, value, i) => sum + value * projection[i * DIMS + d], 0));
  const length = Math.hypot(...out) || 1;
  return out.map((value) => value / length);
}

module.exports = { DIMS, TOKENS, encodeHere, modelBytes, rowsOf, tokensOf };
