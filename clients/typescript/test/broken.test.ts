// Against a server that breaks off, repeats, leaves out, lies and refuses.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { inspect } from "node:util";
import { Client, CommandTimedOut, PaddockError, type RunEvent } from "../src/index.js";
import { connect } from "../src/node.js";
import { BUSY, broken, events, hangUp, json, piece, type Answer } from "./broken_server.js";
import { refused } from "./support.js";
import type { Failure } from "../src/errors.js";
import { Transport } from "../src/http.js";
import { TimeLimit } from "../src/time_limit.js";
import type { RunResult } from "../src/types.js";
import { Waited, Watchdog, isUsedUp, longestTry, pauseFor } from "../src/waiting.js";

const line = (id: number, data: string): string => `id: ${id}\nevent: stdout\ndata: ${JSON.stringify({ time: "", data })}\n\n`;
const END = 'id: 3\nevent: end\ndata: {"phase":"Succeeded","rc":0,"status":"OK","message":""}\n\n';
const RUN = { metadata: { name: "a" }, spec: { type: "compute", command: "python3 a.py" }, status: { phase: "Succeeded" } };

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("a stream that breaks goes on behind the last event", () =>
  broken([events(line(1, "a")), hangUp, BUSY, events(line(1, "a") + line(2, "b")), events(END)], async ({ client, requests }) => {
    const found = await all<RunEvent>(client.runs.streamEvents("a"));
    assert.deepEqual(found.map((event) => event.id), [1, 2, 3]);
    assert.deepEqual(requests.map((request) => request.headers["last-event-id"]), [undefined, "1", "1", "1", "2"]);
  }));

test("an event that is left out is asked for again, and a torn one is none", () =>
  broken([events(line(1, "a") + END), events(line(2, "b") + 'id: 3\nevent: end\ndata: {"ph'), events(END)], async ({ client }) => {
    assert.deepEqual((await all(client.runs.streamEvents("a"))).map((event) => event.id), [1, 2, 3]);
  }));

test("a server that never comes back is given up", () =>
  broken([events(line(1, "a")), hangUp], async ({ client }) => {
    const error = await refused("STREAM_LOST", () => all(client.runs.streamEvents("a", { patienceMs: 300 })));
    assert.equal(error.retryable, true);
  }));

test("what is no event is refused", async () => {
  for (const bad of ["id: x\ndata: {}\n\n", "id: 1\ndata: []\n\n", "id: 1\ndata: {\n\n"]) {
    await broken([events(bad)], async ({ client }) => void (await refused("UNEXPECTED_ANSWER", () => all(client.runs.streamEvents("a")))));
  }
  await broken([json(200, RUN)], async ({ client }) => void (await refused("UNEXPECTED_ANSWER", () => all(client.runs.streamEvents("a")))));
  const endless = events(`id: 1\nevent: stdout\ndata: ${"x".repeat(5 << 20)}\n\n`);
  await broken([endless], async ({ client }) => void (await refused("EVENT_TOO_LARGE", () => all(client.runs.streamEvents("a")))));
});

test("a signal ends a stream and a wait at once, with its own reason", () =>
  broken([(response) => void response.writeHead(200, { "Content-Type": "text/event-stream" }).write(line(1, "a"))], async ({ client }) => {
    const controller = new AbortController();
    const stream = client.runs.streamEvents("a", { signal: controller.signal });
    assert.equal((await stream.next()).value?.id, 1);
    controller.abort(new Error("enough"));
    await assert.rejects(stream.next(), /enough/);
    await assert.rejects(client.runs.get("a", { signal: controller.signal }), /enough/);
  }));

test("a calendar that is set anew ends no waiting", async (t) => {
  let ahead = 0;
  const now = Date.now;
  t.mock.method(Date, "now", () => now() + ahead);
  const waited = new Waited();
  const running = json(200, { ...RUN, status: { phase: "Running" } });
  const isSet: Answer = (response) => {
    ahead = 5 * 3_600_000;
    response.writeHead(200, { "Content-Type": "application/json" }).end();
  };
  await broken([running, isSet, json(200, RUN)], async ({ client }) => {
    assert.equal((await client.runs.wait("a", { timeoutMs: 3_600_000 })).status.phase, "Succeeded");
  });
  assert.ok(waited.ms() < 90_000, "hours that nobody lived are no patience");
});

test("a create is sent again with the same key", () =>
  broken([BUSY, hangUp, json(201, RUN)], async ({ client, requests }) => {
    assert.equal((await client.runs.create({ type: "compute", command: "python3 a.py" })).metadata.name, "a");
    assert.equal(new Set(requests.map((request) => request.headers["idempotency-key"])).size, 1);
    assert.equal(requests.length, 3);
  }));

test("code that may have run is never sent again, code that no node took is", async () => {
  for (const answer of [hangUp, BUSY]) {
    await broken([answer], async ({ client, requests }) => {
      await assert.rejects(client.execute("print(1)"), PaddockError);
      assert.equal(requests.length, 1);
    });
  }
  const none = json(503, { message: "no node", error: { code: "NO_NODE", retryable: true } });
  await broken([none, json(200, { success: true, stdout: "1\n" })], async ({ client }) => {
    assert.equal((await client.execute("print(1)")).stdout, "1\n");
  });
});

test("it gives up after four tries and says what the server said", () =>
  broken([BUSY], async ({ client, requests }) => {
    const error = await refused("BUSY", () => client.runs.get("a"));
    assert.deepEqual([requests.length, error.statusCode, error.reason, error.message], [4, 503, "ServiceUnavailable", "later"]);
  }));

test("a message says all that is wrong", () => {
  const first = { field: "spec.command[1]", message: "expected string, got integer" };
  const second = { field: "spec.timout", message: "unknown field" };
  const answer = (...causes: object[]) => json(400, { message: "spec.command[1]: expected string, got integer", error: { code: "INVALID_FIELD", details: { causes } } });
  const told = async (...causes: object[]) => {
    let message = "";
    await broken([answer(...causes)], async ({ client }) => void ({ message } = await refused("INVALID_FIELD", () => client.runs.get("a"))));
    return message;
  };
  return Promise.all([
    told(first).then((message) => assert.equal(message, "spec.command[1]: expected string, got integer")),
    told(first, second).then((message) => assert.equal(message, "spec.command[1]: expected string, got integer (spec.timout: unknown field)")),
    told(second, {}).then((message) => assert.equal(message, "spec.command[1]: expected string, got integer (spec.timout: unknown field)")),
  ]);
});

test("answers and errors that are none", async () => {
  await broken([json(200, "{")], async ({ client }) => void (await refused("UNEXPECTED_ANSWER", () => client.runs.get("a"))));
  for (const body of ["", "[]", '{"error":1,"message":2}', '{"error":{"details":{"causes":[1,{"field":2}]}}}', "<html>"]) {
    await broken([json(400, body)], async ({ client }) => {
      assert.equal((await refused("UNEXPECTED_ANSWER", () => client.runs.get("a"))).statusCode, 400);
    });
  }
});

test("a redirect takes the token nowhere", () =>
  broken([json(200, RUN)], async (other) => {
    const away: Answer = (response) => response.writeHead(302, { Location: other.url }).end();
    await broken([away], async ({ client }) => void (await assert.rejects(client.execute("print(1)"), PaddockError)));
    assert.equal(other.requests.length, 0);
  }));

test("an artifact is what its digest says", () =>
  broken([json(200, "y")], async ({ client }) => {
    await refused("DIGEST_MISMATCH", () => client.runs.readArtifact("a", { path: "x", size: 1, digest: "0".repeat(64), executable: false }));
  }));

const SANDBOX = json(201, { metadata: { name: "s" }, spec: { security: { limits: { timeoutMs: 1000 } } } });

test("a streamed command: its output and its result, each once", () =>
  broken([SANDBOX, events(piece("stdout", '{"base64":"AP8="}') + piece("new", "{}") + piece("result", '{"exitCode":3}'))], async ({ client }) => {
    const found = await all((await client.sandboxes.create()).stream("echo"));
    assert.equal(found.length, 2);
    assert.ok(found[0]?.type === "stdout" && found[0].data.join() === "0,255");
    assert.ok(found[1]?.type === "result" && found[1].result.exitCode === 3);
  }));

test("a streamed command that breaks is lost, and never sent again", async () => {
  const cases: [Answer, string][] = [
    [events(piece("started", "{}")), "STREAM_LOST"],
    [hangUp, "CONNECTION_LOST"],
    [events(piece("error", '{"code":"SESSION_ENDED","message":"gone"}')), "SESSION_ENDED"],
    [events(piece("stdout", '{"base64":"*"}')), "UNEXPECTED_ANSWER"],
    [events(piece("result", "[]")), "UNEXPECTED_ANSWER"],
  ];
  for (const [answer, code] of cases) {
    await broken([SANDBOX, answer], async ({ client, requests }) => {
      const session = await client.sandboxes.create();
      await refused(code, () => all(session.stream("echo")));
      assert.equal(requests.length, 2);
    });
  }
});

/** The pauses before the cancels of a command, each of which fails so. */
async function pausesOf(t: TestContext, failure: Failure, begun = false): Promise<number[]> {
  const pauses: number[] = [];
  const none = (act: () => void, ms: number): void => {
    if (pauses.push(ms) < 20) queueMicrotask(act);
  };
  const clock = t.mock.method(globalThis, "setTimeout", none as unknown as typeof setTimeout);
  const limit = new TimeLimit(3, () => Promise.reject(new PaddockError("no", failure)));
  limit.begun = begun;
  for (let turn = 0; turn < 1000; turn++) await Promise.resolve(); // nobody else's turn comes
  clock.mock.restore();
  assert.equal(pauses[0], 3);
  return pauses.slice(1);
}

test("a cancel is repeated only where that may help, ever more seldom, and not before the server wants it", async (t) => {
  for (const code of ["UNAUTHENTICATED", "SESSION_ENDED", "CLIENT_CLOSED"]) assert.deepEqual(await pausesOf(t, { code }), []);
  assert.deepEqual(await pausesOf(t, { code: "COMMAND_NOT_FOUND" }, true), []); // it has ended
  const pauses = await pausesOf(t, { code: "COMMAND_NOT_FOUND" });
  assert.ok((pauses[0] ?? 0) <= 200 && pauses.slice(6).every((each) => each >= 2500 && each <= 5000), String(pauses));
  assert.equal(pauses.length, 19);
  const wanted = await pausesOf(t, { code: "TOO_MANY_REQUESTS", retryable: true, retryAfterMs: 7000 });
  assert.ok(wanted.length === 19 && wanted.every((each) => each >= 7000), String(wanted));
});

test("a command has taken too long where its cancel for that was accepted, and not where somebody else canceled it", async () => {
  const result = { commandId: "mine", exitCode: 143, stdout: "so far", stderr: "", errorClass: "CANCELLED" } as RunResult;
  const ended = (answer: () => Promise<void>): Promise<void> =>
    new Promise((done, failed) => {
      const limit = new TimeLimit(1, () => {
        queueMicrotask(() => void limit.check(result).then(done, failed).finally(() => limit.leave())); // before the answer
        return answer();
      });
    });
  await assert.rejects(ended(() => new Promise((accepted) => setImmediate(accepted))), CommandTimedOut);
  await ended(() => Promise.reject(new PaddockError("none", { code: "COMMAND_NOT_FOUND" })));
});

test("no time passes of a command that cannot be sent", (t) =>
  broken([SANDBOX], async ({ client, requests }) => {
    const session = await client.sandboxes.create();
    const clock = t.mock.method(globalThis, "setTimeout");
    for (const call of [session.run(7 as unknown as string, { timeoutMs: 7654 }), all(session.stream(7 as unknown as string, { timeoutMs: 7654 }))])
      await assert.rejects(call, TypeError);
    assert.equal(clock.mock.calls.filter((each) => each.arguments[1] === 7654).length, 0);
    assert.equal(requests.length, 1);
  }));

test("words of a session's command are none of the shell's own", () =>
  broken([SANDBOX, json(200, { exitCode: 0 })], async ({ client, bodies }) => {
    await (await client.sandboxes.create()).run(["A=b", "if", "it's", ""]);
    assert.equal(JSON.parse(bodies[1] ?? "").command, "'A=b' 'if' 'it'\\''s' ''");
  }));

test("names lead nowhere else", () =>
  broken([json(200, RUN)], async ({ client, requests }) => {
    await client.runs.get("a/../b?c#d");
    assert.equal(requests[0]?.url, "/apis/paddock.dev/v1alpha1/namespaces/default/runs/a%2F..%2Fb%3Fc%23d");
    for (const name of ["", ".", ".."]) await refused("INVALID_NAME", () => client.runs.get(name));
  }));

test("contents are text or bytes, and nothing is sent of anything else", () =>
  broken([SANDBOX], async ({ client, requests }) => {
    const session = await client.sandboxes.create();
    for (const data of [5, { a: 1 }, [1, 2], null, undefined] as unknown as string[]) {
      await assert.rejects(session.files.write("a", data), TypeError);
      await assert.rejects(client.workspaces.upload("a", { a: data }), TypeError);
    }
    assert.deepEqual(requests.filter((request) => request.method === "PUT").map((request) => request.url), []);
    const words = new Uint16Array([1, 2]) as unknown as Uint8Array;
    for (const data of ["ä", new TextEncoder().encode("ä"), words]) await session.files.write("a", data);
    assert.equal(requests.filter((request) => request.method === "PUT").length, 3);
  }));

test("who logs a client or a session logs no token", () =>
  broken([SANDBOX], async ({ client }) => {
    const session = await client.sandboxes.create();
    for (const each of [client, session, client.runs, client.workspaces]) {
      assert.ok(!JSON.stringify(each).includes("secret"));
      assert.ok(!inspect(each, { depth: null, showHidden: true }).includes("secret"));
    }
  }));

test("paths of a session are taken as programs there have them", async () => {
  for (const path of ["a b/c.txt", "./a b/c.txt", "/workspace/a b/c.txt", "a b/c.txt/"]) {
    await broken([SANDBOX, json(200, "x")], async ({ client, requests }) => {
      await (await client.sandboxes.create()).files.remove(path);
      assert.ok(requests[1]?.url?.endsWith("/files/a%20b/c.txt"), requests[1]?.url);
    });
  }
  for (const path of ["/etc/passwd", "../a", "a//b", "/", "", ".", "/workspace"]) {
    await broken([SANDBOX], async ({ client }) => {
      const session = await client.sandboxes.create();
      await refused("INVALID_NAME", () => session.files.write(path, "x"));
    });
  }
});

test("who is away or does not lead is passed over", async () => {
  const standby = json(503, { message: "no", error: { code: "NOT_LEADER", retryable: true } });
  let left = "";
  await broken([hangUp], async ({ url }) => void (left = url));
  await broken([standby], (waiting) =>
    broken([json(200, RUN)], async (leader) => {
      const client = new Client({ baseUrl: `${left}, ${waiting.url},${leader.url}`, token: "t" });
      for (let i = 0; i < 2; i++) assert.equal((await client.runs.get("a")).metadata?.name, "a");
      assert.deepEqual([waiting.requests.length, leader.requests.length], [1, 2]);
    }),
  );
});

test("addresses and tokens that make no sense, and nobody there", async () => {
  for (const baseUrl of ["", "host", "ftp://host", "https://user:pw@host", "https://host/?a=1", "http://example.org"]) {
    await refused("INVALID_SERVER", async () => new Client({ baseUrl, token: "t" }));
  }
  await refused("INVALID_TOKEN", async () => new Client({ baseUrl: "https://host", token: "a b" }));
  let left = "";
  await broken([hangUp], async ({ url }) => void (left = url));
  const nobody = new Client({ baseUrl: left, patienceMs: 0 });
  assert.equal((await refused("UNREACHABLE", () => nobody.runs.get("a"))).retryable, true);
});

test("a server of a name that nobody has is not waited for, unless another may come back", async () => {
  let asked = 0;
  const none = Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
  const fetcher = (async () => {
    asked++;
    throw new TypeError("fetch failed", { cause: none });
  }) as unknown as typeof fetch;
  const wrong = new Client({ baseUrl: "https://no-such-host.example", fetch: fetcher, patienceMs: 600_000 });
  assert.equal((await refused("SERVER_NAME_UNKNOWN", () => wrong.runs.get("a"))).retryable, false);
  assert.equal(asked, 1);
  let left = "";
  await broken([hangUp], async ({ url }) => void (left = url));
  for (const baseUrl of [`${left},http://a..b`, `http://a..b,${left}`]) {
    const error = await refused("UNREACHABLE", () => new Client({ baseUrl, patienceMs: 0 }).runs.get("a"));
    assert.equal(error.retryable, true);
  }
});

test("a name that is not found any more is waited for", () =>
  broken([json(200, RUN)], async ({ url }) => {
    let known = true;
    const none = Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
    const fetcher = (async (...asked: Parameters<typeof fetch>) => {
      if (!known) throw new TypeError("fetch failed", { cause: none });
      return fetch(...asked);
    }) as typeof fetch;
    const client = new Client({ baseUrl: url, fetch: fetcher, patienceMs: 0 });
    await client.runs.get("a");
    known = false;
    assert.equal((await refused("UNREACHABLE", () => client.runs.get("a"))).retryable, true);
  }));

test("no pause outlasts the time that a run is waited for", async () => {
  const later = json(503, { message: "later", error: { code: "STORE_BUSY", retryable: true } }, { "Retry-After": "30" });
  await broken([later], async ({ client, requests }) => {
    const begun = Date.now();
    await refused("WAIT_TIMEOUT", () => client.runs.wait("a", { timeoutMs: 50 }));
    assert.ok(Date.now() - begun < 30_000, "it paused as the server asked");
    assert.ok(requests.length <= 3, `${requests.length} requests in 50 ms: it did not pause`);
  });
});

test("a server that says nothing is asked for as long as patience is left", async (t) => {
  for (const [patience, waited, most, over] of [[5000, 0, 5000, false], [5000, 4000, 3000, false], [5000, 7999, 3000, false], [5000, 8000, 3000, true], [0, 90_000, Infinity, false]] as const) {
    assert.equal(longestTry(patience, waited), most);
    assert.equal(isUsedUp(patience, waited, 2), over);
    assert.equal(isUsedUp(patience, waited, 1), false);
  }
  let ahead = 0;
  const now = performance.now.bind(performance);
  t.mock.method(performance, "now", () => now() + ahead);
  const later = setTimeout;
  t.mock.method(globalThis, "setTimeout", (ends: (...told: unknown[]) => void, ms: number, ...told: unknown[]) => {
    ahead += ms; // it passes at once
    return later(ends, 0, ...told); // the connections of other tests have timers too
  });
  let asked = 0;
  const silent = ((_: unknown, init: RequestInit) => {
    asked++;
    return new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
  }) as unknown as typeof fetch;
  const client = new Client({ baseUrl: "http://127.0.0.1:1", fetch: silent, timeoutMs: 30_000, patienceMs: 1000 });
  await refused("TIMEOUT", () => client.runs.get("a"));
  assert.equal(asked, 2, "each try has what is left, or the shortest time in which it can be answered");
});

test("no pause outlasts the patience that is left", () => {
  for (const [patience, waited, least, most] of [[5000, 0, 5000, 5000], [5000, 4000, 1000, 1000], [5000, 9000, 100, 200], [0, 0, 30_100, 30_200]] as const) {
    const pause = pauseFor(1, 30_000, patience, waited);
    assert.ok(pause >= least && pause <= most, `${pause} ms of ${patience - waited}`);
  }
});

/** Time passes at once where a client pauses; the pauses. */
function withoutTime(t: TestContext): number[] {
  let ahead = 0;
  const pauses: number[] = [];
  const now = performance.now.bind(performance);
  t.mock.method(performance, "now", () => now() + ahead);
  const later = setTimeout;
  t.mock.method(globalThis, "setTimeout", (ends: (...told: unknown[]) => void, ms: number, ...told: unknown[]) => {
    return later(() => {
      ahead += ms; // not where it was cleared: nobody was silent
      pauses.push(ms);
      ends(...told);
    }, 0);
  });
  return pauses;
}

test("a port that speaks another protocol is not waited for", async (t) => {
  let asked = 0;
  let says = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  const server = createServer((connection) => {
    asked++;
    connection.on("error", () => undefined).once("data", () => connection.end(says));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => server.close());
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const baseUrl = `https://${address}`;
  const home = mkdtempSync(join(tmpdir(), "paddock-"));
  t.after(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, "ca.pem"), "");
  for (const client of [new Client({ baseUrl }), await connect({ baseUrl, caFile: join(home, "ca.pem") })]) {
    assert.equal((await refused("WRONG_PROTOCOL", () => client.runs.get("a"))).retryable, false);
  }
  assert.equal(asked, 2);
  says = "SSH-2.0-OpenSSH_9.2\r\n";
  assert.match((await refused("WRONG_PROTOCOL", () => new Client({ baseUrl: `http://${address}` }).runs.get("a"))).message, /no HTTP/);
  assert.equal(asked, 3);
});

test("a server that is started again is waited for, unless somebody says otherwise", async (t) => {
  const pauses = withoutTime(t);
  let asked = 0;
  const fetcher = (async () => {
    if (++asked < 20) throw new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) });
    return new Response(JSON.stringify(RUN));
  }) as unknown as typeof fetch;
  const told: PaddockError[] = [];
  const client = new Client({ baseUrl: "http://127.0.0.1:1", fetch: fetcher, onWaiting: (error) => told.push(error) });
  assert.equal((await client.runs.wait("a")).metadata.name, "a");
  assert.deepEqual([asked, told.map((error) => error.code)], [20, ["UNREACHABLE"]]);
  assert.ok(Math.max(...pauses) > 1000);
});

test("that a stream waits for a server is told once", async (t) => {
  withoutTime(t);
  let asked = 0;
  const fetcher = (async () => {
    if (++asked < 8) throw new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) });
    return new Response(END, { headers: { "Content-Type": "text/event-stream" } });
  }) as unknown as typeof fetch;
  const told: PaddockError[] = [];
  const client = new Client({ baseUrl: "http://127.0.0.1:1", fetch: fetcher, onWaiting: (error) => told.push(error) });
  assert.equal((await all(client.runs.streamEvents("a", { after: 2 }))).length, 1);
  assert.deepEqual([asked, told.map((error) => error.code)], [8, ["UNREACHABLE"]]);
});

test("of several servers another one is asked within a second", async (t) => {
  const pauses = withoutTime(t);
  const away = (async () => {
    throw new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }) });
  }) as unknown as typeof fetch;
  const client = new Client({ baseUrl: "http://127.0.0.1:1,http://127.0.0.1:2", fetch: away, patienceMs: 15_000 });
  await refused("UNREACHABLE", () => client.runs.get("a"));
  await refused("STREAM_LOST", () => all(client.runs.streamEvents("a")));
  assert.ok(pauses.length > 30 && Math.max(...pauses) <= 1000, `${Math.max(...pauses)} ms`);
});

test("an instance whose controller has ended is not waited for", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "paddock-"));
  t.after(() => rmSync(home, { recursive: true }));
  const before = { ...process.env };
  t.after(() => void (process.env = before));
  process.env = { ...before, PADDOCK_HOME: home, PADDOCK_TOKEN: "t", PADDOCK_SERVER: "", PADDOCK_INSTANCE: "" };
  const folder = join(home, "instances/default");
  mkdirSync(folder, { recursive: true });
  const of = (pid: unknown): void => writeFileSync(join(folder, "instance.json"), JSON.stringify({ url: "https://127.0.0.1:1", controller: { pid } }));
  of(spawnSync("true").pid);
  await refused("INSTANCE_NOT_UP", () => connect());
  for (const pid of [process.pid, 1, "x"]) {
    of(pid); // or nobody can say
    await refused("CA_FILE_UNREADABLE", () => connect());
  }
});

const SOON = { joinsMs: 20, asksMs: 50, answersMs: 300, againMs: 30 };
const never: Answer = () => undefined;
const alive: Answer = (response) => void response.writeHead(200).end("ok");

/** Two controllers, asked by a transport that does not wait long before it looks. */
async function two(one: (path: string) => Answer, other: (path: string) => Answer, use: (transport: Transport, asked: [string[], string[]]) => Promise<void>): Promise<void> {
  const of = (answers: (path: string) => Answer): Answer => (response, request) => answers(request.url ?? "")(response, request);
  await broken([of(one)], (first) =>
    broken([of(other)], async (second) => {
      const transport = new Transport(`${first.url},${second.url}`, "secret", 600_000, fetch, 0, undefined, SOON);
      const asked = (all: { url?: string | undefined }[]): string[] => all.map((each) => each.url ?? "").filter((url) => !/livez|readyz/.test(url));
      const before = [first.requests, second.requests] as const;
      await use(transport, new Proxy([[], []], { get: (_, at) => asked(before[Number(at) as 0 | 1] ?? []) }) as [string[], string[]]);
      for (const each of [...first.requests, ...second.requests]) {
        if (/livez|readyz/.test(each.url ?? "")) assert.equal(each.headers.authorization, undefined);
      }
    }),
  );
}
const leads = (path: string): Answer => (path.startsWith("/x") ? json(200, RUN) : alive);

test("a server that stands still is left for the one that leads, and nothing is done twice", async () => {
  await two(() => never, leads, async (transport, asked) => {
    await refused("CONNECTION_LOST", () => transport.json("POST", "/x", {}));
    assert.deepEqual([asked[0], asked[1]], [["/x"], []]);
    await transport.json("POST", "/x", {});
    assert.deepEqual([asked[0], asked[1]], [["/x"], ["/x"]]);
  });
  await two(() => never, leads, async (transport, asked) => {
    await Promise.all([1, 2, 3].map(() => transport.json("GET", "/x")));
    assert.deepEqual([asked[0].length, asked[1].length], [3, 3]);
  });
});

test("what ends a wait ends the watch over it, also where nobody reads on", async () => {
  const ended = (silenceMs: number, outer?: AbortSignal): [Watchdog, Promise<void>] => {
    const watchdog = new Watchdog(silenceMs, outer);
    return [watchdog, new Promise((stopped) => watchdog.tell({ heard: () => undefined, stopped }))];
  };
  await ended(1)[1]; // nothing came
  const caller = new AbortController();
  const [, left] = ended(600_000, caller.signal);
  caller.abort();
  await left;
  const [watchdog, moved] = ended(600_000);
  watchdog.moveOn();
  await moved;
});

test("a server that is only slow is waited for, and so is one while no other leads", async () => {
  for (const [lives, readyz] of [[alive, alive], [never, json(503, {})]] as const) {
    let looks = 0;
    let wake = (): void => undefined;
    const looked = new Promise<void>((done) => (wake = done));
    const slow: Answer = (response, request) => void looked.then(() => json(200, RUN)(response, request));
    const look = (answer: Answer): Answer => (response, request) => (++looks === 3 && wake(), answer(response, request));
    await two((path) => (path.startsWith("/x") ? slow : look(lives)), () => readyz, async (transport, asked) => {
      await transport.json("GET", "/x");
      assert.deepEqual([asked[0], asked[1]], [["/x"], []]);
    });
  }
});
