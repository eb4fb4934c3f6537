// Node's cluster: two processes take the requests of one port.
// run: node cluster.mjs
// needs: nodejs
// loopback
// limits: {memory: 1Gi, pids: 128}
import cluster from "node:cluster";
import http from "node:http";

if (cluster.isPrimary) {
  let ready = 0;
  for (let i = 0; i < 2; i++) cluster.fork();
  cluster.on("listening", (worker, address) => {
    if (++ready < 2) return;
    http.get({ port: address.port, host: "localhost" }, (answer) => {
      answer.resume();
      console.log(answer.statusCode === 200 ? "ok" : "no");
      for (const each of Object.values(cluster.workers)) each.kill();
    });
  });
} else {
  http.createServer((request, response) => response.end("hi")).listen(8080);
}
