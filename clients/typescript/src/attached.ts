// Commands that read what is sent to them while they run, with a terminal if they want one.
import { commandEvents, type CommandEvent } from "./commands.js";
import { base64 } from "./crypto.js";
import { PaddockError } from "./errors.js";
import { content, inputWasNotTaken, type CallOptions, type Transport } from "./http.js";
import type { InputPiece, RunCommandRequest, RunResult } from "./types.js";
import { Waited, pause, unlessAborted } from "./waiting.js";

const PIECE = 32 << 10; // bytes of input in one request
const PIECE_MS = 30_000;
const FIRST_PAUSE_MS = 20; // until a piece that was not taken is sent again
const LONGEST_PAUSE_MS = 250;

type Piece = Omit<InputPiece, "seq">;
type Look = () => void;
type Events = ReturnType<typeof commandEvents>;
type StreamEvent = CommandEvent | { type: "started" };

function left(): PaddockError {
  return new PaddockError("the command was left before its end", { code: "STREAM_LEFT" });
}

function* piecesOf(data: string | Uint8Array): Generator<Piece, void, undefined> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  for (let at = 0; at < bytes.length; at += PIECE) yield { data: base64(bytes.subarray(at, at + PIECE)) };
}

/** Numbered pieces, one after the other, each sent again until it is taken: the server takes a number once. */
class Input {
  #turn: Promise<unknown> = Promise.resolve();
  #number = 0;
  /** it was sent, and nobody said whether it was taken */
  #inDoubt: InputPiece | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly target: string,
    private readonly patienceMs: number,
  ) {}

  /** `look` throws once nobody wants it any more. */
  send(pieces: Iterable<Piece>, look: Look, signal?: AbortSignal): Promise<void> {
    const sent = this.#turn.then(() => this.#sendAll(pieces, look, signal));
    this.#turn = sent.catch(() => undefined); // its own caller hears of it
    return unlessAborted(sent, signal); // also while it waits for its turn
  }

  async #sendAll(pieces: Iterable<Piece>, look: Look, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#clearDoubt(look, signal);
    for (const piece of pieces) {
      signal?.throwIfAborted();
      await this.#deliver({ seq: this.#number + 1, ...piece }, look, signal);
    }
  }

  async #clearDoubt(look: Look, signal?: AbortSignal): Promise<void> {
    if (!this.#inDoubt) return;
    try {
      await this.#deliver(this.#inDoubt, look, signal);
    } catch (error) {
      if (this.#inDoubt) throw error; // else it is refused now, which is for whoever wrote it and does not stop others
    }
  }

  async #deliver(piece: InputPiece, look: Look, signal?: AbortSignal): Promise<void> {
    const waited = new Waited();
    let unheard = 0;
    for (let failed = 1; ; failed++) {
      look();
      const doubtful = this.#inDoubt !== undefined;
      this.#inDoubt = piece;
      try {
        await this.transport.tryJson("POST", this.target, piece, { signal, timeoutMs: PIECE_MS });
        break;
      } catch (error) {
        if (!(error instanceof PaddockError)) throw error;
        if (inputWasNotTaken(error, doubtful)) this.#inDoubt = undefined; // another may have its number
        const heard = error.code === "INPUT_WAITS"; // and the command is under way
        unheard = heard ? 0 : unheard + 1;
        if (heard) waited.again();
        const again = error.retryable && error.statusCode !== 409; // a gap in the numbers stays one
        if (!again || (!heard && waited.ms() > this.patienceMs)) throw error;
        this.transport.tell(unheard, error);
      }
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failed - 1, 10), LONGEST_PAUSE_MS), signal);
    }
    this.#number = piece.seq;
    this.#inDoubt = undefined;
  }
}

/**
 * One whose input comes while it runs. What it has not read of that waits, 64 KiB at most, and it does not read while nobody takes what
 * it prints: who writes more than that does not wait for it before reading. Leaving a loop over its events does not end it: close()
 * does, and the end of the block of an `await using`.
 */
export class AttachedCommand implements AsyncDisposable {
  readonly #events: Events;
  /** of the events, as it was asked for already */
  #first: StreamEvent | undefined;
  readonly #input: Input;
  readonly #leaving: AbortController;
  readonly #ended: () => void;
  #result: RunResult | undefined;

  constructor(
    readonly id: string,
    events: Events,
    first: StreamEvent | undefined,
    input: Input,
    leaving: AbortController,
    ended: () => void,
  ) {
    this.#events = events;
    this.#first = first;
    this.#input = input;
    this.#leaving = leaving;
    this.#ended = ended;
  }

  /** What it prints from now on; its last event is its `result`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<CommandEvent, void, undefined> {
    for (let event; (event = await this.#next()); ) {
      if (event.type !== "started") yield event;
    }
  }

  async #next(): Promise<StreamEvent | undefined> {
    const first = this.#first;
    this.#first = undefined;
    let event: StreamEvent | undefined;
    try {
      event = first ?? (await this.#events.next()).value ?? undefined;
    } finally {
      if (!event) this.#ended(); // lost, left, or at its end
    }
    if (event?.type === "result") {
      this.#result = event.result;
      this.#ended();
    }
    if (!event && !this.#result) throw left(); // nobody takes it for its end
    return event;
  }

  /** Waits for it; output that nobody has taken by then is lost. */
  async result(): Promise<RunResult> {
    for await (const _ of this);
    if (this.#result) return this.#result;
    throw left();
  }

  async #send(pieces: Iterable<Piece>, options: CallOptions): Promise<void> {
    const look = (): void => {
      if (!this.#result) this.#leaving.signal.throwIfAborted();
    };
    look();
    await this.#input.send(pieces, look, options.signal);
  }

  /** Once all of it is on its way; COMMAND_NOT_FOUND or RUN_NOT_RUNNING once the command has ended. What its signal ends has written a
   * part, and the next one goes on behind it. */
  async write(data: string | Uint8Array, options: CallOptions = {}): Promise<void> {
    await this.#send(piecesOf(content(data)), options);
  }

  /** The command reads the end of its input. One with a terminal reads Ctrl-D: write("\x04"). */
  async endInput(options: CallOptions = {}): Promise<void> {
    await this.#send([{ end: true }], options);
  }

  /** Sets the size of its terminal. */
  async resize(rows: number, columns: number, options: CallOptions = {}): Promise<void> {
    await this.#send([{ terminal: { rows, columns } }], options);
  }

  /** Ends the command, unless it has ended. */
  async close(): Promise<void> {
    this.#ended();
    this.#leaving.abort(left());
    await this.#events.return();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

export interface Attaching extends CallOptions {
  /** the longest silence */
  timeoutMs: number;
  patienceMs: number;
}

/** Begins it: `target` takes commands. What no node took is asked for again. */
export async function attached(
  transport: Transport,
  target: string,
  asked: RunCommandRequest & { commandId: string },
  { signal, timeoutMs, patienceMs }: Attaching,
): Promise<AttachedCommand> {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(signal?.reason);
  const ended = (): void => signal?.removeEventListener("abort", leave);
  if (signal?.aborted) leave();
  signal?.addEventListener("abort", leave, { once: true });
  const begin = async (): Promise<[Events, StreamEvent | undefined]> => {
    const events = commandEvents(transport, target, asked, { signal: leaving.signal, timeoutMs });
    const first = await events.next(); // it is under way, or refused
    return [events, first.value ?? undefined];
  };
  try {
    const [events, first] = await transport.repeated(begin, false, { signal: leaving.signal });
    const input = new Input(transport, `${target}/${asked.commandId}/stdin`, patienceMs);
    return new AttachedCommand(asked.commandId, events, first, input, leaving, ended);
  } catch (error) {
    ended();
    throw error;
  }
}
