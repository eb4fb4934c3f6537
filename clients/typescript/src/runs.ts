// Runs: one execution each, of a command in a sandbox on a node.
import { attached, type AttachedCommand } from "./attached.js";
import { base64, randomName, sha256 } from "./crypto.js";
import { PaddockError } from "./errors.js";
import { follow, type FollowOptions, type RunEvent } from "./events.js";
import { nobodyThere, part, pathIn, query, type CallOptions, type Transport } from "./http.js";
import type { Artifact, Run, RunResult, RunSpecInput, TerminalSize } from "./types.js";
import { Waited, pause } from "./waiting.js";

const MOST_MS = 3_600_000; // that a command may take, and one with a terminal:
const MOST_TERMINAL_MS = 86_400_000;
const MARGIN_MS = 75_000; // beside what a command may take: waiting for its node, its grace and its answer
const ENDED = ["Succeeded", "Failed", "Canceled"];

export interface CreateOptions extends CallOptions {
  /** one is made unless given */
  name?: string | undefined;
  labels?: Record<string, string> | undefined;
  /** the same key with the same spec gives the same object; each call has one of its own unless given */
  idempotencyKey?: string | undefined;
}

export interface WaitOptions extends CallOptions {
  /** then PaddockError WAIT_TIMEOUT; the run goes on */
  timeoutMs?: number | undefined;
  /** how long a server that is away is waited for; as long as the client waits unless given */
  patienceMs?: number | undefined;
}

export interface LogOptions extends CallOptions {
  tailLines?: number | undefined;
  sinceSeconds?: number | undefined;
  timestamps?: boolean | undefined;
}

export interface ExecOptions extends CallOptions {
  /** its whole standard input, 8 MiB at most */
  stdin?: string | Uint8Array | undefined;
  /** the most that it may take; a minute unless given, an hour at most */
  timeoutMs?: number | undefined;
  /** to cancel it by; one is made unless given */
  commandId?: string | undefined;
}

export interface ExecStreamOptions extends CallOptions {
  /** its whole standard input, 8 MiB at most; without it its input is what write() sends */
  stdin?: string | Uint8Array | undefined;
  /** it has one of this size: all that it prints is stdout, as it is, and its input has keys (Ctrl-C is "\x03") */
  terminal?: TerminalSize | undefined;
  /** the most that it may take; an hour unless given, with a terminal a day */
  timeoutMs?: number | undefined;
  /** to cancel it by: lower-case letters, digits and '-'; one is made unless given */
  commandId?: string | undefined;
  /** how long input is sent again that has no answer; the client's unless given */
  patienceMs?: number | undefined;
}

interface Page<T> {
  items: T[];
  metadata?: { continue?: string };
}

/** What is sent to create an object. */
export function newObject(kind: string, prefix: string, spec: unknown, options: CreateOptions): unknown {
  const named = options.name ? { name: options.name } : { generateName: prefix };
  const metadata = { ...named, ...(options.labels ? { labels: options.labels } : {}) };
  return { apiVersion: "paddock.dev/v1alpha1", kind, metadata, spec };
}

export async function create<T>(transport: Transport, base: string, body: unknown, options: CreateOptions): Promise<T> {
  const headers = { "Idempotency-Key": options.idempotencyKey ?? (await randomName()) };
  return transport.json<T>("POST", base, body, { headers, safe: true, signal: options.signal });
}

export class Runs {
  readonly #base: string;

  constructor(
    private readonly transport: Transport,
    base: string,
  ) {
    this.#base = `${base}/runs`;
  }

  #path(name: string, ...more: string[]): string {
    return [this.#base, part(name), ...more].join("/");
  }

  async create(spec: RunSpecInput, options: CreateOptions = {}): Promise<Run> {
    return create<Run>(this.transport, this.#base, newObject("Run", "run-", spec, options), options);
  }

  /** Up to 1,000 in one request: all of them are made, in this order, or none. The names begin with `prefix`. */
  async createRuns(specs: RunSpecInput[], options: Omit<CreateOptions, "name"> & { prefix?: string } = {}): Promise<Run[]> {
    const items = specs.map((spec) => newObject("Run", options.prefix ?? "run-", spec, options));
    const body = { apiVersion: "paddock.dev/v1alpha1", kind: "RunList", items };
    return (await create<Page<Run>>(this.transport, this.#base, body, options)).items;
  }

  async get(name: string, options: CallOptions = {}): Promise<Run> {
    return this.transport.json<Run>("GET", this.#path(name), undefined, options);
  }

  /** All of them, read page by page. */
  async *list(options: CallOptions & { labelSelector?: string; fieldSelector?: string; page?: number } = {}): AsyncGenerator<Run, void, undefined> {
    let token: string | undefined;
    do {
      const { labelSelector, fieldSelector, page = 100 } = options;
      const where = query({ labelSelector, fieldSelector, order: "newest", limit: page, continue: token });
      const answer = await this.transport.json<Page<Run>>("GET", this.#base + where, undefined, { signal: options.signal });
      yield* answer.items;
      token = answer.metadata?.continue || undefined;
    } while (token);
  }

  /** Asks for it; wait() says when it has ended. Again is the same. `now`: without what its grace leaves it. */
  async cancel(name: string, options: CallOptions & { now?: boolean } = {}): Promise<Run> {
    const { now, ...how } = options;
    return this.transport.json<Run>("POST", this.#path(name, "cancel"), now ? { now } : {}, { ...how, safe: true });
  }

  /** Deletes a run that has ended. */
  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.transport.request("DELETE", this.#path(name), options);
  }

  /** From its first event, or the one behind `after`, to `end`. A connection that breaks is taken up again where it was. */
  streamEvents(name: string, options: FollowOptions = {}): AsyncGenerator<RunEvent, void, undefined> {
    return follow<RunEvent>(this.transport, this.#path(name, "events"), options);
  }

  /** Until it has ended. */
  async wait(name: string, options: WaitOptions = {}): Promise<Run> {
    const { timeoutMs = Infinity, patienceMs = this.transport.patienceMs, signal } = options;
    const waited = new Waited();
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      try {
        const run = await this.transport.json<Run>("GET", this.#path(name), undefined, { signal, until: deadline, patienceMs });
        waited.again();
        if (ENDED.includes(run.status.phase)) return run;
        await this.#change(run, deadline - performance.now(), signal);
      } catch (error) {
        if (!(error instanceof PaddockError) || !error.retryable) throw error;
        const over = nobodyThere(error) || waited.ms() > patienceMs; // where nobody is there, it was used up already
        if (over && performance.now() < deadline) throw error;
      }
      if (performance.now() >= deadline) {
        throw new PaddockError(`run ${name} has not ended after ${timeoutMs} ms; it goes on`, { code: "WAIT_TIMEOUT", retryable: true });
      }
    }
  }

  /** Returns when the run may be another than this; the server holds the answer back until then. */
  async #change(run: Run, leftMs: number, signal?: AbortSignal): Promise<void> {
    const timeoutSeconds = Math.max(1, Math.floor(Math.min(leftMs, 60_000) / 1000));
    const where = query({
      watch: true,
      fieldSelector: `metadata.name=${run.metadata.name ?? ""}`,
      resourceVersion: run.metadata.resourceVersion,
      timeoutSeconds,
    });
    try {
      const timeoutMs = Math.max(10, Math.min(leftMs, timeoutSeconds * 1000 + 15_000));
      const { pieces } = await this.transport.open("GET", this.#base + where, { signal, timeoutMs });
      await pieces.next();
      await pieces.return();
    } catch (error) {
      if (!(error instanceof PaddockError)) throw error;
      await pause(Math.max(0, Math.min(leftMs, 500)), signal); // whether that matters, the next look says
    }
  }

  /**
   * A command in the sandbox of a run while it runs: what it printed and how it ended; it is never sent twice. Words are executed
   * as they are, text is for the shell inside. Its signal ends the command.
   */
  async exec(name: string, command: string | string[], options: ExecOptions = {}): Promise<RunResult> {
    const { stdin, timeoutMs = 60_000, commandId = await randomName(), signal } = options;
    const words = typeof command === "string" ? ["sh", "-c", command] : command;
    const body = { command: words, commandId, timeoutMs, ...(stdin ? { stdin: base64(stdin) } : {}) };
    return this.transport.json<RunResult>("POST", this.#path(name, "commands"), body, { signal, timeoutMs: timeoutMs + MARGIN_MS });
  }

  /**
   * The same while it runs: its output as it comes, and its input by write() and endInput(). Who leaves it, or loses the connection,
   * ends the command; input that no answer says is taken is sent again, and never read twice. Its signal ends the command.
   */
  async execStream(name: string, command: string | string[], options: ExecStreamOptions = {}): Promise<AttachedCommand> {
    const { stdin, terminal, commandId = await randomName(), patienceMs = this.transport.patienceMs, signal } = options;
    const timeoutMs = options.timeoutMs ?? (terminal ? MOST_TERMINAL_MS : MOST_MS);
    const asked = {
      command: typeof command === "string" ? ["sh", "-c", command] : command,
      commandId,
      timeoutMs,
      ...(stdin === undefined ? { stdinComes: true } : {}),
      ...(stdin ? { stdin: base64(stdin) } : {}),
      ...(terminal ? { terminal } : {}),
    };
    return attached(this.transport, this.#path(name, "commands"), asked, { signal, timeoutMs: timeoutMs + MARGIN_MS, patienceMs });
  }

  /** COMMAND_NOT_FOUND where it has ended, or has not begun. */
  async cancelExec(name: string, commandId: string, options: CallOptions = {}): Promise<void> {
    await this.transport.json("POST", this.#path(name, "commands", part(commandId), "cancel"), {}, options);
  }

  /** Standard output and error as they were written, up to now. */
  async logs(name: string, options: LogOptions = {}): Promise<string> {
    const { signal, ...asked } = options;
    return new TextDecoder().decode(await this.transport.request("GET", this.#path(name, "log") + query(asked), { signal }));
  }

  /** The same in pieces, until the run ends. */
  async *followLogs(name: string, options: FollowOptions = {}): AsyncGenerator<string, void, undefined> {
    for await (const event of this.streamEvents(name, options)) {
      if (event.type === "stdout" || event.type === "stderr") yield event.data;
    }
  }

  /** What came back; what did not, and why, is in status.leftOut. */
  async artifacts(name: string, options: CallOptions = {}): Promise<Artifact[]> {
    return (await this.transport.json<Page<Artifact>>("GET", this.#path(name, "artifacts"), undefined, options)).items;
  }

  /** The bytes of one, which are what their digest says. */
  async readArtifact(name: string, artifact: Artifact, options: CallOptions = {}): Promise<Uint8Array> {
    const data = await this.transport.request("GET", this.#path(name, "artifacts", pathIn(artifact.path)), options);
    if ((await sha256(data)) === artifact.digest) return data;
    throw new PaddockError(`what the server sent is not ${artifact.path}`, { code: "DIGEST_MISMATCH", retryable: true });
  }
}
