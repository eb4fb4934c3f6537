// Commands whose input comes while they run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AttachedCommand, Client, PaddockError } from "../src/index.js";
import { BUSY, broken, events, hangUp, json, piece, type Answer } from "./broken_server.js";
import { PADDOCK_SERVER, PADDOCK_TOKEN, client, refused, skip } from "./support.js";

const STARTED = events(piece("started", "{}"));
const TAKEN = json(200, { next: 2 });
const refusal = (status: number, code: string, retryable = false): Answer => json(status, { message: "no", error: { code, retryable } });
const WAITS = refusal(429, "INPUT_WAITS", true);

/** The pieces of input that came. */
async function pieces(answers: Answer[], use: (command: AttachedCommand) => Promise<void>, patienceMs = 60_000): Promise<unknown[]> {
  let found: unknown[] = [];
  await broken([STARTED, ...answers], async ({ client, requests, bodies }) => {
    await using command = await client.runs.execStream("a", ["cat"], { commandId: "c", patienceMs });
    await use(command);
    for (const each of requests.slice(1)) assert.match(each.url ?? "", /\/runs\/a\/commands\/c\/stdin$/);
    found = bodies.slice(1).map((body) => JSON.parse(body) as unknown);
  });
  return found;
}

test("a piece is sent again by its number until it is taken", async () => {
  const found = await pieces([hangUp, WAITS, BUSY, WAITS, TAKEN], async (command) => {
    await Promise.all([command.write(new Uint8Array([255])), command.resize(3, 4), command.endInput()]);
  });
  const first = { seq: 1, data: "/w==" };
  assert.deepEqual(found, [first, first, first, first, first, { seq: 2, terminal: { rows: 3, columns: 4 } }, { seq: 3, end: true }]);
});

test("that a write waits for a server is told once, and that it waits for its command is not", async () => {
  await broken([STARTED, WAITS, WAITS, WAITS, WAITS, WAITS, hangUp, hangUp, hangUp, hangUp, hangUp, TAKEN], async ({ url }) => {
    const told: PaddockError[] = [];
    const client = new Client({ baseUrl: url, onWaiting: (error) => told.push(error) });
    await using command = await client.runs.execStream("a", ["cat"]);
    await command.write("a");
    assert.deepEqual(told.map((error) => error.code), ["CONNECTION_LOST"]);
  });
});

test("a write that is sent again ends as its command is closed", async () => {
  let close = (): void => undefined;
  let tries = 0;
  const third: Answer = (response, request) => (++tries === 3 && close(), hangUp(response, request));
  const found = await pieces([third], async (command) => {
    close = (): void => void command.close();
    await refused("STREAM_LEFT", () => command.write("a"));
  }, 5000);
  assert.equal(found.length, 3);
});

test("much goes in pieces, and nothing in none", async () => {
  const found = await pieces([TAKEN], async (command) => {
    await command.write("");
    await command.write("x".repeat(70_000));
  });
  assert.deepEqual(found.map((each) => [(each as { seq: number }).seq, (each as { data: string }).data.length]), [[1, 43692], [2, 43692], [3, 5952]]);
});

test("what is refused was not taken and is not sent again; what may have been taken goes first the next time", async () => {
  const numbers = await pieces([refusal(412, "COMMAND_TAKES_NO_INPUT"), TAKEN, refusal(409, "INPUT_OUT_OF_ORDER", true)], async (command) => {
    await refused("COMMAND_TAKES_NO_INPUT", () => command.endInput());
    await command.write("a");
    await refused("INPUT_OUT_OF_ORDER", () => command.write("b"));
  });
  assert.deepEqual(numbers.map((each) => (each as { seq: number }).seq), [1, 1, 2]);
  const found = await pieces([hangUp, refusal(401, "TOKEN_EXPIRED"), TAKEN], async (command) => {
    await refused("TOKEN_EXPIRED", () => command.write("a"));
    await command.write("b");
  });
  const first = { seq: 1, data: "YQ==" };
  assert.deepEqual(found, [first, first, first, { seq: 2, data: "Yg==" }]);
});

test("input without an answer is given up, and what a signal ends goes first the next time", async () => {
  assert.equal((await pieces([hangUp], async (command) => void (await refused("CONNECTION_LOST", () => command.write("a"))), -1)).length, 1);
  const found = await pieces([WAITS, WAITS, TAKEN], async (command) => {
    const controller = new AbortController();
    const writing = command.write("a", { signal: controller.signal });
    controller.abort(new Error("enough"));
    await assert.rejects(writing, /enough/);
    await command.write("b");
  });
  assert.deepEqual(found.at(-1), { seq: 1, data: "Yg==" }); // its signal had ended before anything was sent
});

test("what is refused does not stop what comes later", async () => {
  for (const before of [[WAITS, refusal(429, "NODES_BUSY", true)], [hangUp]]) {
    const found = await pieces([...before, refusal(412, "COMMAND_TAKES_NO_INPUT"), TAKEN], async (command) => {
      await refused("COMMAND_TAKES_NO_INPUT", () => command.write("a"));
      await command.write("b");
    });
    assert.deepEqual(found.at(-2), { seq: 1, data: "YQ==" });
    assert.deepEqual(found.at(-1), { seq: 1, data: "Yg==" });
  }
  // Whoever wrote it knows that it failed; that it is refused later is not said to somebody else.
  const found = await pieces([hangUp, refusal(413, "BODY_TOO_LARGE"), TAKEN], async (command) => {
    await refused("CONNECTION_LOST", () => command.write("a"));
    await command.write("b");
  }, -1);
  assert.deepEqual(found.at(-1), { seq: 1, data: "Yg==" });
});

test("no event is lost, whichever comes first", async () => {
  const output = piece("stdout", '{"base64":"YQ=="}');
  const result = piece("result", '{"exitCode":3}');
  for (const first of [output, `${piece("started", "{}")}${output}`, ""]) {
    await broken([events(first + result)], async ({ client }) => {
      await using command = await client.runs.execStream("a", "cat");
      let seen = "";
      for await (const event of command) seen += event.type === "stdout" ? event.text : `(${event.type})`;
      assert.equal(seen, first ? "a(result)" : "(result)");
      assert.equal((await command.result()).exitCode, 3);
    });
  }
});

test("a character that comes in two pieces is one", async () => {
  const text = (type: string, bytes: number[]): string => piece(type, JSON.stringify({ base64: Buffer.from(bytes).toString("base64") }));
  const output = text("stdout", [97, 0xc3]) + text("stderr", [0xe2, 0x82]) + text("stdout", [0xa4, 98, 0xff]) + text("stderr", [0xac]);
  await broken([events(piece("started", "{}") + output + piece("result", '{"exitCode":3}'))], async ({ client }) => {
    await using command = await client.runs.execStream("a", "cat");
    const seen: string[] = [];
    for await (const event of command) if (event.type !== "result") seen.push(event.text);
    assert.deepEqual(seen, ["a", "", "äb\ufffd", "€"]);
  });
});

/** A signal, and how many listeners it has. */
function watched(): { controller: AbortController; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  const found = new Set<unknown>();
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...given: Parameters<typeof add>): void => {
    found.add(given[1]);
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>): void => {
    found.delete(given[1]);
    remove(...given);
  };
  return { controller, listeners: () => found.size };
}

test("a signal is heard while a write waits for its turn, and no listener stays", async () => {
  const silent: Answer = () => undefined;
  await broken([STARTED, silent], async ({ client }) => {
    await using command = await client.runs.execStream("a", "cat");
    const [one, two] = [watched(), watched()];
    const first = command.write("a", { signal: one.controller.signal });
    const second = command.write("b", { signal: two.controller.signal });
    two.controller.abort(new Error("enough"));
    await assert.rejects(second, /enough/);
    assert.equal(two.listeners(), 0);
    one.controller.abort(new Error("of the first"));
    await assert.rejects(first, /of the first/);
  });
  const { controller, listeners } = watched();
  await broken([STARTED, WAITS, TAKEN], async ({ client }) => {
    const command = await client.runs.execStream("a", "cat", { signal: controller.signal });
    for (const word of ["a", "b"]) await command.write(word, { signal: controller.signal });
    await refused("STREAM_LOST", () => command.result());
    assert.equal(listeners(), 0);
  });
  await broken([STARTED], async ({ client, requests }) => {
    const command = await client.runs.execStream("a", "cat", { signal: controller.signal });
    await command.close();
    assert.equal(listeners(), 0);
    await refused("STREAM_LEFT", () => command[Symbol.asyncIterator]().next());
    for (const send of [() => command.write("a"), () => command.endInput(), () => command.resize(24, 80)]) await refused("STREAM_LEFT", send);
    assert.equal(requests.length, 1);
  });
});

test("it is begun once, and asked for again only where nobody took it", async () => {
  await broken([refusal(503, "NO_NODE", true), STARTED], async ({ client, bodies }) => {
    await using command = await client.runs.execStream("a", "cat", { terminal: { rows: 40, columns: 120 }, timeoutMs: 2000 });
    assert.deepEqual(JSON.parse(bodies[1] ?? ""), {
      command: ["sh", "-c", "cat"],
      commandId: command.id,
      timeoutMs: 2000,
      stdinComes: true,
      terminal: { rows: 40, columns: 120 },
    });
    assert.equal((await refused("STREAM_LOST", () => command.result())).retryable, false);
  });
  for (const lost of [hangUp, BUSY]) {
    await broken([lost, STARTED], async ({ client, requests }) => {
      await assert.rejects(client.runs.execStream("a", "cat"), PaddockError);
      assert.equal(requests.length, 1);
    });
  }
  await broken([events(piece("error", '{"code":"RUN_EXEC_UNSUPPORTED","message":"no"}'))], async ({ client }) => {
    await refused("RUN_EXEC_UNSUPPORTED", () => client.runs.execStream("a", "cat"));
  });
});

/** A run that waits, until it is not needed any more. */
async function inARun(use: (paddock: Client, name: string) => Promise<void>): Promise<void> {
  const paddock = client();
  const name = (await paddock.runs.create({ type: "command", command: ["sh", "-c", "echo begun; sleep 600"] })).metadata.name ?? "";
  for await (const text of paddock.runs.followLogs(name)) {
    assert.equal(text, "begun\n");
    break;
  }
  try {
    await use(paddock, name);
  } finally {
    await paddock.runs.cancel(name, { now: true });
  }
}

/** Reads until this is there, and forgets it and all before it. */
function reader(command: AttachedCommand): (pattern: RegExp) => Promise<void> {
  let seen = "";
  const output = command[Symbol.asyncIterator]();
  return async (pattern) => {
    for (let found: RegExpExecArray | null; !(found = pattern.exec(seen)); ) {
      const { done, value } = await output.next();
      assert.ok(!done && value.type !== "result", `waited in vain for ${pattern} in ${seen}`);
      seen += value.text;
      if ((found = pattern.exec(seen))) seen = seen.slice(found.index);
    }
    seen = seen.replace(pattern, "");
  };
}

test("what is written is read at once, its end too, and much of it", { skip }, () =>
  inARun(async (paddock, name) => {
    await using command = await paddock.runs.execStream(name, "cat; echo over >&2; exit 3");
    const until = reader(command);
    for (const word of ["one\n", "ä\n"]) {
      await command.write(word);
      await until(new RegExp(word));
    }
    await command.endInput();
    await until(/over\n/);
    assert.equal((await command.result()).exitCode, 3);
    await refused("COMMAND_NOT_FOUND", () => command.write("late"));

    await using cat = await paddock.runs.execStream(name, ["cat"]);
    const given = new Uint8Array(1 << 20).map((_, at) => at);
    const writing = cat.write(given).then(() => cat.endInput());
    const found: Uint8Array[] = [];
    for await (const event of cat) {
      if (event.type === "stdout") found.push(event.data);
    }
    await writing;
    assert.deepEqual(Buffer.concat(found), Buffer.from(given));

    await using whole = await paddock.runs.execStream(name, "cat; sleep 600", { stdin: "all of it" });
    await reader(whole)(/all of it/);
    await refused("COMMAND_TAKES_NO_INPUT", () => whole.write("x"));
  }));

test("a terminal has keys, a size and an end; a signal and a close hang up", { skip }, () =>
  inARun(async (paddock, name) => {
    await using python = await paddock.runs.execStream(name, ["python3", "-q"], { terminal: { rows: 30, columns: 100 } });
    const until = reader(python);
    await until(/>>> /);
    await python.write("import os, time; tuple(os.get_terminal_size())\r");
    await until(/\(100, 30\)[^]*>>> /);
    await python.resize(11, 77);
    await python.write("tuple(os.get_terminal_size())\r");
    await until(/\(77, 11\)[^]*>>> /);
    await python.write("print('as' + 'leep'); time.sleep(600)\r");
    await until(/asleep/);
    await python.write("\x03");
    await until(/KeyboardInterrupt[^]*>>> /);
    await python.write("6 * 7\r");
    await until(/42[^]*>>> /);
    await python.write("\x04");
    assert.equal((await python.result()).exitCode, 0);

    const controller = new AbortController();
    await using left = await paddock.runs.execStream(name, "echo begun; sleep 600", { commandId: "left", signal: controller.signal });
    await reader(left)(/begun/);
    const waiting = left.result();
    controller.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    await using closed = await paddock.runs.execStream(name, "echo begun; sleep 600", { terminal: { rows: 24, columns: 80 } });
    await reader(closed)(/begun/);
    const reading = refused("STREAM_LEFT", () => closed.result());
    await closed.close();
    await reading;
    for (const each of [left, closed]) await gone(name, each);
    await using canceled = await paddock.runs.execStream(name, ["sleep", "600"]);
    await paddock.runs.cancelExec(name, canceled.id);
    assert.equal((await canceled.result()).errorClass, "CANCELLED");
  }));

/** Returns once it has ended, which the test's own time limits: then nobody knows it, and until then this piece is out of turn. */
async function gone(run: string, command: AttachedCommand): Promise<void> {
  const target = `${PADDOCK_SERVER}/apis/paddock.dev/v1alpha1/namespaces/default/runs/${run}/commands/${command.id}/stdin`;
  const headers = { Authorization: `Bearer ${PADDOCK_TOKEN}`, "Content-Type": "application/json" };
  while ((await fetch(target, { method: "POST", headers, body: JSON.stringify({ seq: 99, end: true }) })).status !== 404) {
    await new Promise((later) => setTimeout(later, 50));
  }
}
