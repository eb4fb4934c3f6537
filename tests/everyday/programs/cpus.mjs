// Node sees the processors of its share.
// run: node cpus.mjs
// needs: nodejs
// loopback
import os from "node:os";
console.log(os.cpus().length, os.availableParallelism(), Object.keys(os.networkInterfaces()));
console.log(os.cpus().length > 0 && os.cpus().length === os.availableParallelism() ? "ok" : "cpus and parallelism differ");
