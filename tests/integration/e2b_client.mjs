// E2B's own SDK, driven line by line: each line of stdin is {"code"}, the body of an async function of `e2b`, the SDK, and
// `kept`, an object that stays; each line of stdout is {"value"} or {"error"}. Where it leads, its environment says.
import { createInterface } from "node:readline";
import * as e2b from "e2b";

const AsyncFunction = (async () => {}).constructor;
const kept = {};
const told = ({ name, message, exitCode, stdout, stderr, statusCode }) => ({ name, message, exitCode, stdout, stderr, statusCode });
console.log(JSON.stringify({ value: "ready" }));
for await (const line of createInterface({ input: process.stdin })) {
  try {
    const value = await new AsyncFunction("e2b", "kept", JSON.parse(line).code)(e2b, kept);
    console.log(JSON.stringify({ value: value ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ error: told(error) }));
  }
}
