// Waiting that a signal ends, and how long to wait before trying again.

/** Unless somebody says otherwise: as `paddock` has it. */
export const PATIENCE_MS = 120_000;
const SOON_OF_SEVERAL = 30; // failures

/** Milliseconds after the `failed`-th failure in a row: doubles from 0.2 s to 5 s, drawn from the upper half of that. Where `several`
 * servers may be asked, another one may lead by now: it is 1 s at most for the first 30 failures. */
export function backoff(failed: number, several = false): number {
  const longest = several && failed <= SOON_OF_SEVERAL ? 1000 : 5000;
  return Math.min(longest, 200 * 2 ** Math.min(Math.max(failed, 1) - 1, 10)) * (0.5 + Math.random() / 2);
}

/** Milliseconds until the next try, when the server asked for `asked` of them: no more than is left of a patience, but a moment for the few
 * tries that come in any case. Without a patience, what was asked for. */
export function pauseFor(failed: number, asked: number, patience: number, waited: number, several = false): number {
  const least = backoff(failed, several);
  const left = patience - waited;
  return patience <= 0 ? asked + least : Math.min(asked + least, left > 0 ? left : least);
}

/** In which a try can be answered, however little is left of a patience. */
const SHORTEST_TRY_MS = 3000;

/** Milliseconds that a try may be without a sign of an answer, for somebody who has `waited` of his patience; without one, as long as others. */
export function longestTry(patience: number, waited: number): number {
  return patience <= 0 ? Infinity : Math.max(patience - waited, SHORTEST_TRY_MS);
}

/** That are made whoever waits, and however long. */
export const FEW_TRIES = 4;
/** However long they take: this process may have stood still during the first. */
const FEWEST_TRIES = 2;

/** Whether so much of it has been used up by tries without an answer that none follows the `failed`-th, whatever its failure was. */
export function isUsedUp(patience: number, waited: number, failed: number): boolean {
  return failed >= FEWEST_TRIES && patience > 0 && waited - patience >= SHORTEST_TRY_MS;
}

/** Whether a stream that brought nothing `failed` times in a row is given up: it is asked for a few times in any case. */
export function isStreamLost(patience: number, waited: number, failed: number): boolean {
  return isUsedUp(patience, waited, failed) || (failed >= FEW_TRIES && waited >= patience);
}

/** The milliseconds that a Retry-After header in seconds asks for, 30 s at most; dates are not understood. */
export function askedFor(retryAfter: string | null): number {
  return /^\d{1,6}$/.test(retryAfter?.trim() ?? "") ? Math.min(Number(retryAfter) * 1000, 30_000) : 0;
}

/** The longest answer that is waited for, and the longest pause. */
const LONGEST_TRY_MS = 95_000;

/** For how long somebody has waited, by looks after each try: of a stretch longer than any try no more counts, as this process or its
 * host stood still. By a clock that nobody sets. */
export class Waited {
  #ms = 0;
  #last = performance.now();

  again(): void {
    this.#ms = 0;
    this.#last = performance.now();
  }

  ms(): number {
    const now = performance.now();
    this.#ms += Math.max(0, Math.min(now - this.#last, LONGEST_TRY_MS));
    this.#last = now;
    return this.#ms;
  }
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const ended = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      resolve();
    }, ms);
    signal?.addEventListener("abort", ended, { once: true });
  });
}

/** The same as `action`, whose end is not waited for once the signal has ended: it is for others then. */
export async function unlessAborted<T>(action: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return action;
  let ended = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    ended = (): void => reject(signal.reason);
    if (signal.aborted) return ended();
    signal.addEventListener("abort", ended, { once: true });
  });
  try {
    return await Promise.race([action, aborted]);
  } finally {
    signal.removeEventListener("abort", ended);
  }
}

/** Ends when the caller's signal does or when nobody has called `touch` for a while. */
export class Watchdog {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #forward = (): void => this.#end(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  expired = false;
  #listener: { heard(): void; stopped(): void } | undefined;

  constructor(
    private readonly silenceMs: number,
    outer?: AbortSignal,
  ) {
    this.#outer = outer;
    if (outer?.aborted) this.#forward();
    outer?.addEventListener("abort", this.#forward, { once: true });
    this.touch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Who is told of what touches it, and of its end. */
  tell(listener: { heard(): void; stopped(): void }): void {
    this.#listener = listener;
  }

  /** Ends what waits: another server leads. */
  moveOn(): void {
    this.#end();
  }

  /** Nothing of it goes on, also if nobody ever reads what it ended. */
  #end(reason?: unknown): void {
    clearTimeout(this.#timer);
    this.#listener?.stopped();
    this.#outer?.removeEventListener("abort", this.#forward);
    this.#controller.abort(reason);
  }

  touch(): void {
    this.#listener?.heard();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.expired = true;
      this.#end();
    }, this.silenceMs);
  }

  stop(): void {
    this.#listener?.stopped();
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#forward);
  }
}
