// The time that a caller gives to one command of a session.
import { CommandTimedOut } from "./errors.js";
import type { RunResult } from "./types.js";

const LONGEST_MS = 7 * 86_400_000; // that a session lives
const AGAIN_MS = 200; // until the next cancel, of a command that nobody knew: it had not begun

/** Passes from when it is made until it is left: `ms`, if there is a limit at all. */
export class TimeLimit {
  #over = false;
  #left = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly ms: number | undefined,
    private readonly cancel: () => Promise<void>,
  ) {
    if (ms !== undefined) this.#wait(Math.min(ms, LONGEST_MS));
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => void this.#end(), ms);
  }

  async #end(): Promise<void> {
    this.#over = true;
    try {
      await this.cancel();
    } catch {
      if (!this.#left) this.#wait(AGAIN_MS);
    }
  }

  leave(): void {
    this.#left = true;
    clearTimeout(this.#timer);
  }

  /** A command that had ended by itself is in time. */
  check(result: RunResult): void {
    if (this.ms !== undefined && this.#over && result.errorClass === "CANCELLED") throw new CommandTimedOut(this.ms, result);
  }
}
