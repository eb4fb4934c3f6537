// Embeds the captions of data/captions.txt with ONNX Runtime and writes to output/:
//   model.onnx         the encoder, written here byte by byte
//   embeddings.bin     one row of 128 little-endian 32-bit floats per caption
//   index.json         the captions in order, and what made the rows
//   neighbours.csv     for each caption the nearest other one
//   measurements.json  how long it took
"use strict";

const crypto = require("crypto");
const fs = require("fs");
const os = require("os");
const path = require("path");
const ort = require("onnxruntime-node");
const encoder = require("./text-encoder.js");

const BATCH = 32;
const TOLERANCE = 1e-4; // between ONNX Runtime and the same sum in JavaScript
const OUTPUT = path.join(__dirname, "output");

const write = (name, content) => fs.writeFileSync(path.join(OUTPUT, name), content);
const json = (value) => JSON.stringify(value, null, 2) + "\n";
const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

function readCaptions() {
  const lines = fs.readFileSync(path.join(__dirname, "data", "captions.txt"), "utf8").split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

async function embed(session, captions) {
  const out = new Float32Array(captions.length * encoder.DIMS);
  for (let from = 0; from < captions.length; from += BATCH) {
    const batch = captions.slice(from, from + BATCH);
    const rows = new ort.Tensor("int64", encoder.rowsOf(batch), [batch.length, encoder.TOKENS]);
    const { embedding } = await session.run({ rows });
    out.set(embedding.data, from * encoder.DIMS);
    console.log(`progress ${from + batch.length}/${captions.length} captions`);
  }
  return out;
}

// The greatest difference between the model's answer and ours.
function worstDifference(captions, embeddings) {
  return captions.reduce((worst, caption, at) => encoder.encodeHere(caption).reduce(
    (most, value, d) => Math.max(most, Math.abs(value - embeddings[at * encoder.DIMS + d])), worst), 0);
}

function neighbours(captions, embeddings) {
  const row = (at) => embeddings.subarray(at * encoder.DIMS, (at + 1) * encoder.DIMS);
  const cosine = (a, b) => row(a).reduce((sum, value, d) => sum + value * row(b)[d], 0);
  return captions.map((_, at) => captions
    .map((_, other) => ({ at, other, cosine: other === at ? -2 : cosine(at, other) }))
    .reduce((best, each) => (each.cosine > best.cosine ? each : best)));
}

async function main() {
  const captions = readCaptions();
  const model = encoder.modelBytes();
  fs.mkdirSync(OUTPUT, { recursive: true });
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const start = process.hrtime.bigint();
  const embeddings = await embed(session, captions);
  const spentMs = Number(process.hrtime.bigint() - start) / 1e6;

  const difference = worstDifference(captions, embeddings);
  if (!(difference <= TOLERANCE)) throw new Error(`the model's answer is off by ${difference}`);

  const packed = Buffer.from(embeddings.buffer);
  write("model.onnx", model);
  write("embeddings.bin", packed);
  write("index.json", json({ count: captions.length, dims: encoder.DIMS,
    model_sha256: crypto.createHash("sha256").update(model).digest("hex"),
    embeddings_sha256: crypto.createHash("sha256").update(packed).digest("hex"), captions }));
  write("neighbours.csv", "caption,nearest,cosine\n" + neighbours(captions, embeddings)
    .map(({ at, other, cosine }) => `${quoted(captions[at])},${quoted(captions[other])},${cosine.toFixed(4)}\n`).join(""));
  write("measurements.json", json({ per_item_ms: spentMs / captions.length, total_ms: spentMs,
    worst_difference: difference, provider: "CPUExecutionProvider", processors: os.cpus().length, node: process.version }));
  console.log(`${captions.length} captions, ${(spentMs / captions.length).toFixed(3)} ms each`);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
