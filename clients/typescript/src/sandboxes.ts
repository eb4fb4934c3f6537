// Sandboxes: sessions that are created, used and destroyed. What may be done in one is fixed when it is created.
import { commandEvents, type CommandEvent } from "./commands.js";
import { randomName } from "./crypto.js";
import { PaddockError } from "./errors.js";
import { content, part, pathInside, query, shellText, type CallOptions, type Sending, type Transport } from "./http.js";
import { create, newObject, type CreateOptions } from "./runs.js";
import { TimeLimit } from "./time_limit.js";
import type { RunResult, Sandbox, SandboxSpecInput, SecurityOptionsInput, SessionFile, SessionFileList } from "./types.js";

const MARGIN_MS = 75_000; // beside what a command may take: the server opens the session for 20 s, and waits for 30 s more for the answer
const DEFAULT_TIMEOUT_MS = 10_000;
const CANCEL_MS = 10_000; // that the answer to a cancel is waited for

export interface SandboxOptions extends CreateOptions {
  /** network, mounts, programs and limits, for the session's whole life */
  security?: SecurityOptionsInput | undefined;
  /** durations such as 15m */
  idleTimeout?: string | undefined;
  lifetime?: string | undefined;
  nodeSelector?: Record<string, string> | undefined;
}

export interface CommandOptions extends CallOptions {
  /** to cancel it by; one is made unless given */
  commandId?: string | undefined;
  /** from the call on, beside the session's own `limits.timeoutMs`: a command that takes longer is canceled, and the call fails with
   * CommandTimedOut, which has its output up to then */
  timeoutMs?: number | undefined;
}

const ABOUT_A_FILE = ["FILE_NOT_FOUND", "FILE_EXISTS", "FILE_NOT_ALLOWED", "NOT_A_REGULAR_FILE", "LINK_IN_PATH"];

/** The server does not repeat the path of a file that it refuses: this is the caller's own. */
async function naming<T>(path: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof PaddockError) || !ABOUT_A_FILE.includes(error.code)) throw error;
    throw new PaddockError(`"${path}": ${error.message}`, error, { cause: error });
  }
}

/** The files of a session, by their path beneath its folder: `src/a.py`, or `/workspace/src/a.py` as programs there have it. */
export class Files {
  constructor(
    private readonly transport: Transport,
    private readonly base: string,
  ) {}

  #path(path: string): string {
    const inside = pathInside(path);
    return inside ? `${this.base}/${inside}` : this.base;
  }

  #below(path: string): string {
    const inside = pathInside(path);
    if (!inside) throw new PaddockError(`"${path}" is the session's folder itself; name what is in it`, { code: "INVALID_NAME" });
    return `${this.base}/${inside}`;
  }

  async #get(path: string, options: CallOptions): Promise<{ folder: boolean; data: Uint8Array }> {
    const { contentType, body } = await naming(path, this.transport.answer("GET", this.#path(path), options));
    return { folder: contentType.startsWith("application/json"), data: body };
  }

  async read(path: string, options: CallOptions = {}): Promise<Uint8Array> {
    const { folder, data } = await this.#get(path, options);
    if (folder) throw new PaddockError(`${path} is a folder; list() shows what is in it`, { code: "IS_A_FOLDER" });
    return data;
  }

  async readText(path: string, options: CallOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.read(path, options));
  }

  async list(path = "", options: CallOptions = {}): Promise<SessionFile[]> {
    const { folder, data } = await this.#get(path, options);
    if (!folder) throw new PaddockError(`${path} is no folder`, { code: "NOT_A_FOLDER" });
    return (JSON.parse(new TextDecoder().decode(data)) as SessionFileList).files;
  }

  /** The whole file; folders on the way to it are made. */
  async write(path: string, data: string | Uint8Array, options: CallOptions = {}): Promise<void> {
    const headers = { "Content-Type": "application/octet-stream" };
    await naming(path, this.transport.request("PUT", this.#below(path), { ...options, body: content(data), headers }));
  }

  async makeFolder(path: string, options: CallOptions = {}): Promise<void> {
    const headers = { "Content-Type": "application/octet-stream" };
    const target = `${this.#below(path)}${query({ folder: true })}`;
    await naming(path, this.transport.request("PUT", target, { ...options, body: "", headers }));
  }

  async remove(path: string, options: CallOptions = {}): Promise<void> {
    await naming(path, this.transport.request("DELETE", this.#below(path), options));
  }
}

/** `await using session = await client.sandboxes.create()` destroys it at the end of its block. */
export class Session implements AsyncDisposable {
  readonly name: string;
  readonly files: Files;
  readonly #path: string;

  constructor(
    private readonly transport: Transport,
    base: string,
    readonly sandbox: Sandbox,
  ) {
    this.name = sandbox.metadata.name ?? "";
    this.#path = `${base}/${part(this.name)}`;
    this.files = new Files(transport, `${this.#path}/files`);
  }

  #cancelPath(commandId: string): string {
    return `${this.#path}/commands/${part(commandId)}/cancel`;
  }

  /** What is asked for, how, and what begins the time that it has. */
  async #asked(command: string | readonly string[], { commandId, timeoutMs, signal }: CommandOptions): Promise<[unknown, Sending, () => TimeLimit]> {
    const id = commandId ?? (await randomName());
    const most = this.sandbox.spec.security.limits.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const given = timeoutMs ?? Infinity;
    const sending = { signal, timeoutMs: Math.min(most, given) + MARGIN_MS, patienceMs: Math.min(this.transport.patienceMs, given) };
    const path = this.#cancelPath(id);
    const begin = (): TimeLimit => new TimeLimit(timeoutMs, () => this.transport.tryJson("POST", path, {}, { timeoutMs: CANCEL_MS }));
    return [{ command: shellText(command), commandId: id }, sending, begin];
  }

  /** Text for the shell inside, or words that reach the program as they are. What the command did is in the result; it is never sent twice. */
  async run(command: string | readonly string[], options: CommandOptions = {}): Promise<RunResult> {
    const [body, sending, begin] = await this.#asked(command, options);
    const limit = begin();
    try {
      const result = await this.transport.json<RunResult>("POST", `${this.#path}/commands`, body, sending);
      await limit.check(result);
      return result;
    } finally {
      limit.leave();
    }
  }

  /** The same, with its output while it comes: it begins with the first look at it, and who leaves before its end ends it. CommandTimedOut
   * comes behind its result. */
  async *stream(command: string | readonly string[], options: CommandOptions = {}): AsyncGenerator<CommandEvent, void, undefined> {
    const [body, sending, begin] = await this.#asked(command, options);
    const limit = begin();
    try {
      for await (const event of commandEvents(this.transport, `${this.#path}/commands`, body, sending)) {
        limit.begun = true;
        if (event.type !== "started") yield event;
        if (event.type === "result") await limit.check(event.result);
      }
    } finally {
      limit.leave();
    }
  }

  /** COMMAND_NOT_FOUND where it has ended, or has not begun. */
  async cancel(commandId: string, options: CallOptions = {}): Promise<void> {
    await this.transport.json("POST", this.#cancelPath(commandId), {}, options);
  }

  /** Ends what runs in it and removes its files; again is the same. */
  async destroy(options: CallOptions = {}): Promise<void> {
    try {
      await this.transport.request("DELETE", this.#path, options);
    } catch (error) {
      if (!(error instanceof PaddockError) || error.statusCode !== 404) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.destroy();
  }
}

export class Sandboxes {
  readonly #base: string;

  constructor(
    private readonly transport: Transport,
    base: string,
  ) {
    this.#base = `${base}/sandboxes`;
  }

  async create(options: SandboxOptions = {}): Promise<Session> {
    const { security, idleTimeout, lifetime, nodeSelector } = options;
    const spec: SandboxSpecInput = {
      ...(security ? { security } : {}),
      ...(idleTimeout ? { idleTimeout } : {}),
      ...(lifetime ? { lifetime } : {}),
      ...(nodeSelector ? { nodeSelector } : {}),
    };
    const made = await create<Sandbox>(this.transport, this.#base, newObject("Sandbox", "sandbox-", spec, options), options);
    return new Session(this.transport, this.#base, made);
  }

  async get(name: string, options: CallOptions = {}): Promise<Sandbox> {
    return this.transport.json<Sandbox>("GET", `${this.#base}/${part(name)}`, undefined, options);
  }

  /** One that is there already; leaving an `await using` destroys it all the same. */
  async attach(name: string, options: CallOptions = {}): Promise<Session> {
    return new Session(this.transport, this.#base, await this.get(name, options));
  }

  /** All of them, the newest first. */
  async list(options: CallOptions = {}): Promise<Sandbox[]> {
    const all: Sandbox[] = [];
    let token: string | undefined;
    do {
      const where = query({ order: "newest", limit: 100, continue: token });
      const answer = await this.transport.json<{ items: Sandbox[]; metadata?: { continue?: string } }>("GET", this.#base + where, undefined, options);
      all.push(...answer.items);
      token = answer.metadata?.continue || undefined;
    } while (token);
    return all;
  }

  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.transport.request("DELETE", `${this.#base}/${part(name)}`, options);
  }
}
