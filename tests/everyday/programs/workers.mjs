// Node: worker threads with shared memory, and child processes.
// run: node workers.mjs
// needs: nodejs
// limits: {memory: 1Gi, pids: 128}
import { execFileSync, fork } from "node:child_process";
import { Worker, isMainThread, workerData } from "node:worker_threads";
import { fileURLToPath } from "node:url";

const self = fileURLToPath(import.meta.url);
if (!isMainThread) {
  Atomics.add(new Int32Array(workerData), 0, 1);
} else if (process.argv[2] === "child") {
  process.send("hi");
} else {
  const shared = new SharedArrayBuffer(4);
  const ended = (worker) => new Promise((resolve) => worker.on("exit", resolve));
  await Promise.all(Array.from({ length: 4 }, () => ended(new Worker(self, { workerData: shared }))));
  const word = await new Promise((resolve) => fork(self, ["child"]).on("message", resolve));
  const said = execFileSync("sh", ["-c", "echo shell"]).toString();
  console.log(new Int32Array(shared)[0] === 4 && word === "hi" && said === "shell\n" ? "ok" : "no");
}
