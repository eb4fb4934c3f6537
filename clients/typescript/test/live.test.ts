// Against a live instance.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type RunEvent } from "../src/index.js";
import { client, PADDOCK_SERVER, refused, skip } from "./support.js";

const JOB = `import pathlib, sys
print("from", sys.argv[1])
pathlib.Path("out/ä b.txt").write_text("left behind")
`;

test("a run: files up, events in order, a result, artifacts", { skip }, async () => {
  const paddock = client();
  const workspace = await paddock.workspaces.upload("ts", { "job.py": JOB, "ä/b.txt": new Uint8Array([1, 2]) });
  assert.equal(workspace.status.files, 2);
  assert.deepEqual((await paddock.workspaces.files("ts")).map((entry) => entry.path), ["job.py", "ä/b.txt"]);

  const created = await paddock.runs.create(
    { type: "compute", command: ["python3", "job.py", "a job"], workspace: "ts", artifacts: { dirs: ["out/"] } },
    { name: "ts-run", labels: { made: "here" } },
  );
  const events: RunEvent[] = [];
  for await (const event of paddock.runs.streamEvents("ts-run")) events.push(event);
  assert.deepEqual(events.map((event) => event.id), events.map((_, at) => at + 1));
  assert.equal(events.flatMap((event) => (event.type === "stdout" ? event.data : "")).join(""), "from a job\n");
  const last = events.at(-1);
  assert.ok(last?.type === "end" && last.rc === 0 && last.phase === "Succeeded");

  const run = await paddock.runs.wait("ts-run");
  assert.equal(run.metadata.uid, created.metadata.uid);
  assert.equal(run.status.result?.enforced["network"]?.applied, true);
  assert.equal(await paddock.runs.logs("ts-run"), "from a job\n");
  const [artifact] = await paddock.runs.artifacts("ts-run");
  assert.ok(artifact);
  assert.equal(new TextDecoder().decode(await paddock.runs.readArtifact("ts-run", artifact)), "left behind");

  const found: string[] = [];
  for await (const each of paddock.runs.list({ labelSelector: "made=here", page: 1 })) found.push(each.metadata.name ?? "");
  assert.deepEqual(found, ["ts-run"]);
  await paddock.runs.delete("ts-run");
  await refused("RUN_NOT_FOUND", () => paddock.runs.get("ts-run"));
});

test("a run that sleeps: a wait that ends, a cancel", { skip }, async () => {
  const paddock = client();
  await paddock.workspaces.upload("ts-sleep", { "sleep.py": "import time\nprint('asleep', flush=True)\ntime.sleep(600)\n" });
  const { metadata } = await paddock.runs.create({ type: "compute", command: "python3 sleep.py", workspace: "ts-sleep" });
  const name = metadata.name ?? "";
  for await (const text of paddock.runs.followLogs(name)) {
    assert.equal(text, "asleep\n");
    break;
  }
  await refused("WAIT_TIMEOUT", () => paddock.runs.wait(name, { timeoutMs: 1200 }));
  const controller = new AbortController();
  const waiting = paddock.runs.wait(name, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  await paddock.runs.cancel(name);
  await paddock.runs.cancel(name);
  const run = await paddock.runs.wait(name);
  assert.deepEqual([run.status.phase, run.status.result?.status], ["Canceled", "CANCELED"]);
});

test("a command in a run that runs, its input, its signal", { skip }, async () => {
  const paddock = client();
  const name = (await paddock.runs.create({ type: "command", command: ["sh", "-c", "echo begun; sleep 600"] })).metadata.name ?? "";
  for await (const text of paddock.runs.followLogs(name)) {
    assert.equal(text, "begun\n");
    break;
  }
  const done = await paddock.runs.exec(name, "cat; echo wrong >&2; exit 3", { stdin: "ä\n" });
  assert.deepEqual([done.exitCode, done.stdout, done.stderr], [3, "ä\n", "wrong\n"]);
  const most = new Uint8Array(8 << 20).fill(255);
  assert.equal((await paddock.runs.exec(name, ["wc", "-c"], { stdin: most })).stdout, `${8 << 20}\n`);
  assert.equal((await refused("STDIN_TOO_LARGE", () => paddock.runs.exec(name, ["cat"], { stdin: `${"x".repeat(8 << 20)}x` }))).field, "stdin");
  assert.equal((await paddock.runs.exec(name, ["sleep", "600"], { timeoutMs: 500 })).errorClass, "TIMEOUT");
  const controller = new AbortController();
  const waiting = paddock.runs.exec(name, ["sleep", "600"], { signal: controller.signal, commandId: "left" });
  controller.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  await refused("COMMAND_NOT_FOUND", () => paddock.runs.cancelExec(name, "none"));
  // No command of it ends the run: a run that ends takes its commands along, and this one's own end may not be known by then.
  for (const words of [["touch", "left"], ["test", "-e", "left"]]) assert.equal((await paddock.runs.exec(name, words)).exitCode, 0);
  await paddock.runs.cancel(name, { now: true });
  await paddock.runs.wait(name);
  await refused("RUN_NOT_RUNNING", () => paddock.runs.exec(name, "true"));
});

test("the same key gives the same run; what is wrong is said by its field", { skip }, async () => {
  const paddock = client();
  await paddock.workspaces.upload("ts-key", { "job.py": "print(1)" });
  const spec = { type: "compute", command: "python3 job.py", workspace: "ts-key" } as const;
  const names = await Promise.all([1, 2].map(async () => (await paddock.runs.create(spec, { idempotencyKey: "ts-1" })).metadata.name));
  assert.equal(names[0], names[1]);
  const made = await paddock.runs.createRuns([spec, spec, spec], { prefix: "ts-many-", labels: { sweep: "ts" } });
  assert.equal(new Set(made.map((run) => run.metadata.name)).size, 3);
  const listed: (string | undefined)[] = [];
  for await (const each of paddock.runs.list({ labelSelector: "sweep=ts", page: 2 })) listed.push(each.metadata.name);
  assert.deepEqual(listed, made.map((run) => run.metadata.name).reverse(), "the newest first");
  const first = await refused("COMMAND_NOT_ALLOWED", () => paddock.runs.createRuns([spec, { ...spec, command: "rm -rf x" }]));
  assert.equal(first.field, "items[1].spec.command[0]");
  await refused("IDEMPOTENCY_KEY_REUSED", () => paddock.runs.create({ ...spec, priority: 3 }, { idempotencyKey: "ts-1" }));
  const error = await refused("COMMAND_NOT_ALLOWED", () => paddock.runs.create({ ...spec, command: "rm -rf x" }));
  assert.deepEqual([error.statusCode, error.reason, error.field], [400, "BadRequest", "spec.command[0]"]);
  await refused("TOKEN_UNKNOWN", () => new Client({ baseUrl: PADDOCK_SERVER ?? "", token: "wrong" }).runs.get("x"));
});

test("what would be refused is refused before its files are sent", { skip }, async () => {
  const paddock = client();
  const files = { "job.py": "print(1)", "data.bin": new Uint8Array(100_000), "requirements.txt": "--nope\n" };
  const good = { type: "compute", command: "python3 job.py", workspace: "ts-early" } as const;
  const wrong = [["COMMAND_NOT_ALLOWED", { ...good, command: "rm -rf x" }], ["REQUIREMENTS_INVALID", { ...good, requirements: "requirements.txt" }]] as const;
  for (const [code, forRun] of wrong) {
    await refused(code, () => paddock.workspaces.upload("ts-early", files, { forRun }));
    assert.equal((await paddock.workspaces.get("ts-early")).status.root || "", "");
  }
  assert.equal((await paddock.workspaces.upload("ts-early", files, { forRun: good })).status.files, 3);
});

test("short code", { skip }, async () => {
  const paddock = client();
  const answer = await paddock.execute("print(sum(input_data['nums']))", { nums: [1, 2, 3] });
  assert.deepEqual([answer.success, answer.stdout, answer.exit_code, answer.error], [true, "6\n", 0, null]);
  const refusedCode = await paddock.execute("import os");
  assert.deepEqual([refusedCode.success, refusedCode.validation_errors], [false, ["Blocked import: os"]]);
  assert.equal((await paddock.execute("while True: pass", undefined, { timeoutSeconds: 1 })).error, "Execution timed out");
  assert.equal((await refused("INVALID_FIELD", () => paddock.execute("1", {}, { timeoutSeconds: 61 }))).field, "timeout_seconds");
});
