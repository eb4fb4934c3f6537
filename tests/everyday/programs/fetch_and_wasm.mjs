// Node's fetch, which is WebAssembly inside, and a server to fetch from.
// run: node fetch_and_wasm.mjs
// needs: nodejs
// loopback
// limits: {memory: 1Gi}
import http from "node:http";
new WebAssembly.Memory({ initial: 1 });
const s = http.createServer((q, r) => r.end("hi")).listen(0, "127.0.0.1", async () => {
  const text = await (await fetch(`http://127.0.0.1:${s.address().port}/`)).text();
  s.close();
  console.log(text === "hi" ? "ok" : text);
});
