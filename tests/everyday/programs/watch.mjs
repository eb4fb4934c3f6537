// Node: changes of a folder, a Unix socket, a datagram, a child and a test runner.
// run: node watch.mjs
// needs: nodejs
// loopback
// limits: {memory: 1Gi, cpuTime: 60s, pids: 128}
import assert from "node:assert";
import { execFileSync, fork } from "node:child_process";
import dgram from "node:dgram";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";

if (process.send) {
  process.send(process.argv[2]);
} else {
  const watcher = fs.watch(".");
  fs.writeFileSync("new", "x");
  const [, name] = await once(watcher, "change");
  assert.equal(name, "new");
  watcher.close();

  const server = net.createServer((peer) => peer.end("by name")).listen("/tmp/socket");
  await once(server, "listening");
  const [text] = await once(net.connect("/tmp/socket").setEncoding("utf8"), "data");
  assert.equal(text, "by name");
  server.close();

  const udp = dgram.createSocket("udp4").bind(0, "127.0.0.1");
  await once(udp, "listening");
  udp.send("datagram", udp.address().port, "localhost");
  assert.equal(String((await once(udp, "message"))[0]), "datagram");
  udp.close();

  assert.equal((await once(fork("watch.mjs", ["child"]), "message"))[0], "child");
  fs.writeFileSync("one.test.mjs", "import test from 'node:test'; test('one', () => {});");
  const report = execFileSync(process.execPath, ["--test", "one.test.mjs"], { encoding: "utf8" });
  assert.match(report, /# pass 1/);
  console.log("ok");
}
