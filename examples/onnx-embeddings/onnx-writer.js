// Writes the few ONNX messages that a small model needs, as protobuf bytes. The numbers are the
// field numbers of onnx.proto.
"use strict";

const FLOAT = 1;
const INT_ATTRIBUTE = 2;
const INTS_ATTRIBUTE = 7;

function varint(number) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(number));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

const key = (field, wireType) => varint((field << 3) | wireType);
const integer = (field, value) => Buffer.concat([key(field, 0), varint(value)]);
const bytes = (field, value) => {
  const content = Buffer.from(value);
  return Buffer.concat([key(field, 2), varint(content.length), content]);
};
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

// TensorProto, as an initializer of the graph.
function initializer(name, dims, values) {
  const raw = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return message(5, ...dims.map((dim) => integer(1, dim)), integer(2, FLOAT), bytes(8, name), bytes(9, raw));
}

// AttributeProto: a number, or a list of numbers.
function attribute(name, value) {
  return Array.isArray(value)
    ? message(5, bytes(1, name), ...value.map((each) => integer(8, each)), integer(20, INTS_ATTRIBUTE))
    : message(5, bytes(1, name), integer(3, value), integer(20, INT_ATTRIBUTE));
}

function node(type, inputs, output, attributes = {}) {
  return message(1, ...inputs.map((name) => bytes(1, name)), bytes(2, output), bytes(3, output), bytes(4, type),
    ...Object.entries(attributes).map(([name, value]) => attribute(name, value)));
}

// ValueInfoProto; a dimension is a number, or a name for one that each call decides.
function value(field, name, elementType, dims) {
  const shape = dims.map((dim) => message(1, typeof dim === "number" ? integer(1, dim) : bytes(2, dim)));
  return message(field, bytes(1, name), message(2, message(1, integer(1, elementType), message(2, ...shape))));
}

const input = (name, elementType, dims) => value(11, name, elementType, dims);
const output = (name, elementType, dims) => value(12, name, elementType, dims);

function model(name, parts, { irVersion = 8, opset = 13 } = {}) {
  return Buffer.concat([
    integer(1, irVersion),
    bytes(2, "onnx-embeddings"),
    message(7, ...parts, bytes(2, name)),
    message(8, bytes(1, ""), integer(2, opset)),
  ]);
}

module.exports = { FLOAT, INT64: 7, attribute, initializer, input, model, node, output, varint };
