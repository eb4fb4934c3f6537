// Sandboxes: sessions that are created, used and destroyed. What may be done in one is fixed when it is created.
import { randomName } from "./crypto.js";
import { PaddockError, isObject, unexpected } from "./errors.js";
import { messages } from "./events.js";
import { part, pathIn, query, type CallOptions, type Transport } from "./http.js";
import { create, newObject, type CreateOptions } from "./runs.js";
import type { RunResult, Sandbox, SandboxSpecInput, SecurityOptionsInput, SessionFile, SessionFileList } from "./types.js";

const MARGIN_MS = 30_000; // beside what a command may take: waiting for its turn, and its answer
const DEFAULT_TIMEOUT_MS = 10_000;

// Node 18 lacks the symbol that `await using` looks for.
if (!Symbol.asyncDispose) Object.defineProperty(Symbol, "asyncDispose", { value: Symbol.for("Symbol.asyncDispose") });

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
}

/** What a command wrote, as soon as it wrote it, and at last how it ended. */
export type CommandEvent =
  | { type: "stdout" | "stderr"; data: Uint8Array; text: string }
  | { type: "result"; result: RunResult };

/** The files of a session, by their path beneath its folder. */
export class Files {
  constructor(
    private readonly transport: Transport,
    private readonly base: string,
  ) {}

  #path(path: string): string {
    return path ? `${this.base}/${pathIn(path)}` : this.base;
  }

  async #get(path: string, options: CallOptions): Promise<{ folder: boolean; data: Uint8Array }> {
    const { contentType, body } = await this.transport.answer("GET", this.#path(path), options);
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
    await this.transport.request("PUT", `${this.base}/${pathIn(path)}`, { ...options, body: data, headers });
  }

  async makeFolder(path: string, options: CallOptions = {}): Promise<void> {
    const headers = { "Content-Type": "application/octet-stream" };
    await this.transport.request("PUT", `${this.base}/${pathIn(path)}${query({ folder: true })}`, { ...options, body: "", headers });
  }

  async remove(path: string, options: CallOptions = {}): Promise<void> {
    await this.transport.request("DELETE", `${this.base}/${pathIn(path)}`, options);
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

  get #timeoutMs(): number {
    return (this.sandbox.spec.security.limits.timeoutMs ?? DEFAULT_TIMEOUT_MS) + MARGIN_MS;
  }

  /** Text for the shell inside. What the command did is in the result; it is never sent twice. */
  async run(command: string, options: CommandOptions = {}): Promise<RunResult> {
    const body = { command, commandId: options.commandId ?? (await randomName()) };
    return this.transport.json<RunResult>("POST", `${this.#path}/commands`, body, { signal: options.signal, timeoutMs: this.#timeoutMs });
  }

  /** The same, with its output while it comes: it begins with the first look at it, and who leaves before its end ends it. */
  async *stream(command: string, options: CommandOptions = {}): AsyncGenerator<CommandEvent, void, undefined> {
    const body = JSON.stringify({ command, commandId: options.commandId ?? (await randomName()) });
    const headers = { Accept: "text/event-stream", "Content-Type": "application/json" };
    const sending = { body, headers, signal: options.signal, timeoutMs: this.#timeoutMs };
    const { pieces } = await this.transport.open("POST", `${this.#path}/commands?stream=true`, sending);
    for await (const message of messages(pieces)) {
      const event = commandEvent(message.event, message.data ?? "");
      if (event) yield event;
      if (event?.type === "result") return;
    }
    throw new PaddockError("the connection to the command was lost, and the command ended with it", { code: "STREAM_LOST" });
  }

  /** COMMAND_NOT_FOUND where it has ended, or has not begun. */
  async cancel(commandId: string, options: CallOptions = {}): Promise<void> {
    await this.transport.json("POST", `${this.#path}/commands/${part(commandId)}/cancel`, {}, options);
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

function commandEvent(type: string, data: string): CommandEvent | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(data);
    if (!isObject(fields)) throw new TypeError();
    if (type === "stdout" || type === "stderr") {
      const bytes = Uint8Array.from(atob(String(fields["base64"])), (letter) => letter.charCodeAt(0));
      return { type, data: bytes, text: new TextDecoder().decode(bytes) };
    }
  } catch {
    throw unexpected("an event without data");
  }
  if (type === "result") return { type, result: fields as unknown as RunResult };
  if (type !== "error") return undefined;
  throw new PaddockError(String(fields["message"]), { code: String(fields["code"]), retryable: fields["retryable"] === true });
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

  async list(options: CallOptions = {}): Promise<Sandbox[]> {
    const all: Sandbox[] = [];
    let token: string | undefined;
    do {
      const where = query({ limit: 100, continue: token });
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
