// Sessions, against a live instance.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandTimedOut } from "../src/index.js";
import { client, refused, skip } from "./support.js";

const PATIENT = { security: { limits: { timeoutMs: 300_000 } } }; // a busy machine takes its time for a command

test("a session: commands share files, and nothing is left of it", { skip }, async () => {
  let name = "";
  {
    await using session = await client().sandboxes.create({ ...PATIENT, labels: { made: "here" } });
    name = session.name;
    assert.equal(session.sandbox.spec.security.limits.timeoutMs, 300_000);
    const first = await session.run("echo one | tee a.txt; echo two >&2; exit 3");
    assert.deepEqual([first.exitCode, first.stdout, first.stderr, first.truncated], [3, "one\n", "two\n", undefined]);
    assert.equal((await session.run("cat a.txt")).stdout, "one\n");
    const words = ["printf", "%s|", "a b", "$HOME", "it's", "", "*", "ä"];
    assert.equal((await session.run(words)).stdout, "a b|$HOME|it's||*|ä|");

    await session.files.write("d/ä b.bin", new Uint8Array([0, 255]));
    await session.files.makeFolder("empty");
    assert.deepEqual(await session.files.read("d/ä b.bin"), new Uint8Array([0, 255]));
    assert.equal(await session.files.readText("a.txt"), "one\n");
    assert.deepEqual((await session.files.list()).map((file) => `${file.type} ${file.name}`), ["file a.txt", "folder d", "folder empty"]);
    await refused("IS_A_FOLDER", () => session.files.read("d"));
    await refused("NOT_A_FOLDER", () => session.files.list("a.txt"));
    const missing = "/workspace/none/b";
    for (const call of [() => session.files.read(missing), () => session.files.list(missing), () => session.files.remove(missing)]) {
      const error = await refused("FILE_NOT_FOUND", call);
      assert.deepEqual([error.message, error.statusCode], ['"/workspace/none/b": there is no such file', 404]);
    }
    for (const call of [() => session.files.write("a.txt/b", ""), () => session.files.makeFolder("a.txt/b")]) {
      assert.match((await refused("NOT_A_REGULAR_FILE", call)).message, /^"a.txt\/b": /);
    }
    await session.files.remove("a.txt");
    assert.equal((await session.run("ls")).stdout, "d\nempty\n");
    assert.ok((await client().sandboxes.list()).some((sandbox) => sandbox.metadata.name === name));
  }
  await refused("SANDBOX_NOT_FOUND", () => client().sandboxes.get(name));
});

test("a command's output while it comes, its cancel, and a limit", { skip }, async () => {
  await using session = await client().sandboxes.create(PATIENT);
  const seen: string[] = [];
  for await (const event of session.stream("echo out; sleep 600; echo never", { commandId: "slow" })) {
    if (event.type === "result") {
      seen.push(event.result.errorClass ?? "");
    } else {
      seen.push(event.text);
      await session.cancel("slow");
    }
  }
  assert.deepEqual(seen, ["out\n", "CANCELLED"]);
  await refused("COMMAND_NOT_FOUND", () => session.cancel("slow"));
  await using short = await client().sandboxes.create({ security: { limits: { timeoutMs: 500 } } });
  assert.equal((await short.run("sleep 60")).errorClass, "TIMEOUT");
});

test("a command has the time that its caller gives it", { skip }, async () => {
  await using session = await client().sandboxes.create(PATIENT);
  assert.equal((await session.run("exit 3", { timeoutMs: 300_000 })).exitCode, 3);
  const late = async (call: () => Promise<unknown>): Promise<CommandTimedOut> => {
    const error = await refused("COMMAND_TIMEOUT", call);
    assert.ok(error instanceof CommandTimedOut);
    assert.ok(error.message.includes(`${error.timeoutMs} ms`), error.message);
    assert.equal(error.result.errorClass, "CANCELLED");
    return error;
  };
  let whole = "";
  let pieces = "";
  for (const timeoutMs of [500, 5000, 60_000]) {
    if (!whole) whole = (await late(() => session.run("echo begun | tee -a kept; sleep 600", { timeoutMs }))).result.stdout;
    if (pieces) continue;
    await late(async () => {
      for await (const event of session.stream("echo begun; sleep 600", { timeoutMs })) if (event.type === "stdout") pieces += event.text;
    });
  }
  assert.deepEqual([whole, pieces], ["begun\n", "begun\n"]);
  assert.equal((await session.run("sort -u kept", { timeoutMs: 300_000 })).stdout, "begun\n");
});

test("a signal ends a command and its stream; what is wrong is said by its field", { skip }, async () => {
  await using session = await client().sandboxes.create(PATIENT);
  const controller = new AbortController();
  await assert.rejects(async () => {
    for await (const event of session.stream("echo begun; sleep 600", { signal: controller.signal })) {
      if (event.type === "stdout") controller.abort(new Error("enough"));
    }
  }, /enough/);
  const error = await refused("INVALID_FIELD", () => client().sandboxes.create({ security: { limits: { timeoutMs: 0 } } }));
  assert.equal(error.field, "spec.security.limits.timeoutMs");
  await session.destroy();
  await session.destroy();
  assert.equal((await refused("SANDBOX_NOT_FOUND", () => session.run("true"))).statusCode, 404);
});
