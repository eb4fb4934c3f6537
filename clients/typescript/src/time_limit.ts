// The time that a caller gives to one command of a session.
import { CommandTimedOut, PaddockError } from "./errors.js";
import type { RunResult } from "./types.js";
import { backoff } from "./waiting.js";

const LONGEST_MS = 7 * 86_400_000; // that a session lives

/** Passes from when it is made until it is left: `ms`, if there is a limit at all. */
export class TimeLimit {
  /** as far as its server has said */
  begun = false;
  #over = false; // and the command was canceled for that
  #left = false;
  #failed = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: Promise<void> | undefined;

  constructor(
    private readonly ms: number | undefined,
    private readonly cancel: () => Promise<void>,
  ) {
    if (ms !== undefined) this.#wait(Math.min(ms, LONGEST_MS));
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => (this.#asking = this.#end()), ms);
  }

  async #end(): Promise<void> {
    try {
      await this.cancel();
      this.#over = true;
    } catch (error) {
      if (!this.#left && error instanceof PaddockError && this.#goesOn(error)) this.#wait(error.retryAfterMs + backoff(++this.#failed));
    }
  }

  /** Whether a cancel that failed so may succeed later. As long as the command has not begun nobody knows it. */
  #goesOn(error: PaddockError): boolean {
    return error.retryable || (error.code === "COMMAND_NOT_FOUND" && !this.begun);
  }

  leave(): void {
    this.#left = true;
    clearTimeout(this.#timer);
  }

  /** A command that had ended by itself is in time, and so is one that somebody else canceled. */
  async check(result: RunResult): Promise<void> {
    if (this.ms === undefined || result.errorClass !== "CANCELLED") return;
    await this.#asking; // its end may come before the answer to what ended it
    if (this.#over) throw new CommandTimedOut(this.ms, result);
  }
}
