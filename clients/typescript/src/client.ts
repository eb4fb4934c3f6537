// A controller, by its API.
import type { PaddockError } from "./errors.js";
import { Transport, part, type CallOptions } from "./http.js";
import { Runs } from "./runs.js";
import { Sandboxes } from "./sandboxes.js";
import type { ExecuteAnswer, ExecuteRequestInput } from "./types.js";
import { Workspaces } from "./workspaces.js";

const ANSWER_MS = 20_000; // beside what a piece of code may take

export interface ClientOptions {
  /** https://host:port; several by commas: those of controllers that take over from each other */
  baseUrl: string;
  token?: string | undefined;
  /** "default" unless given */
  namespace?: string | undefined;
  /** of silence, until an answer and in it; 30 s unless given */
  timeoutMs?: number | undefined;
  /** how long a request is sent again while no server answers, a few times in any case, if it can do nothing twice, and a stream that
   * broke is asked for again; two minutes unless given, as with `paddock --patience` */
  patienceMs?: number | undefined;
  /** called when the few tries are over and it goes on trying, once for each request */
  onWaiting?: ((error: PaddockError) => void) | undefined;
  /** how requests are sent: the runtime's own fetch unless given. With another one, a proxy or a CA of its own can be used. */
  fetch?: typeof fetch | undefined;
}

export interface ExecuteOptions extends CallOptions {
  /** 1 to 60; 30 unless given */
  timeoutSeconds?: number | undefined;
  /** 64 to 512; 256 unless given */
  memoryMb?: number | undefined;
}

/** Every call may end with a PaddockError, or with the reason of the signal that ended it. */
export class Client {
  readonly runs: Runs;
  readonly sandboxes: Sandboxes;
  readonly workspaces: Workspaces;
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const fetcher = options.fetch ?? ((input, init) => fetch(input, init));
    this.#transport = new Transport(options.baseUrl, options.token ?? "", options.timeoutMs ?? 30_000, fetcher, options.patienceMs, options.onWaiting);
    const base = `/apis/paddock.dev/v1alpha1/namespaces/${part(options.namespace ?? "default")}`;
    this.runs = new Runs(this.#transport, base);
    this.sandboxes = new Sandboxes(this.#transport, base);
    this.workspaces = new Workspaces(this.#transport, base);
  }

  /**
   * A short piece of Python in a sandbox of its own, answered at once; it finds `input` as `input_data`. What the code did
   * is in the answer (`success`, `exit_code`, `error`). It is never run twice.
   */
  async execute(code: string, input?: Record<string, unknown>, options: ExecuteOptions = {}): Promise<ExecuteAnswer> {
    const { timeoutSeconds = 30, memoryMb, signal } = options;
    const body: ExecuteRequestInput = { code, timeout_seconds: timeoutSeconds };
    if (memoryMb !== undefined) body.memory_mb = memoryMb;
    if (input !== undefined) body.input_data = input;
    return this.#transport.json<ExecuteAnswer>("POST", "/execute", body, { signal, timeoutMs: timeoutSeconds * 1000 + ANSWER_MS });
  }
}
