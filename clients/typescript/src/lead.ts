// When a client that waits for one of several servers asks it whether it lives, and the others whether they lead: as paddock itself does.
// A server that is stopped, or whose host is gone, closes no connection. One that is only slow is waited for, as long as no other one leads.
import { Watchdog } from "./waiting.js";

export interface LeadTimes {
  /** of an exchange's silence, before it is watched at all */
  joinsMs: number;
  /** of a server's silence, before it is asked whether it lives */
  asksMs: number;
  /** for its answer, and for that of others whether they lead */
  answersMs: number;
  /** between two looks at one that gave no sign of life */
  againMs: number;
}

export const LEAD_TIMES: LeadTimes = { joinsMs: 1000, asksMs: 2000, answersMs: 1000, againMs: 300 };

/** Of one server: what is known of it while somebody waits for it. */
export class Silence {
  #since = performance.now();
  #asked: number | undefined;
  /** one asks, for all who wait */
  look: Promise<void> | undefined;
  /** how often another one was found to lead in its place */
  givenWay = 0;

  constructor(private readonly times: LeadTimes) {}

  heard(): void {
    this.#since = performance.now();
    this.#asked = undefined;
  }

  /** It was asked whether it lives, and said nothing; and no other one leads yet. */
  unanswered(): void {
    this.#asked = performance.now();
  }

  restMs(): number {
    const due = this.#asked === undefined ? this.#since + this.times.asksMs : this.#asked + this.times.againMs;
    return Math.max(0, due - performance.now());
  }

  patienceMs(): number {
    return this.#asked === undefined ? this.times.answersMs : this.times.againMs;
  }
}

/** One try without a token, by a watch of its own: what is asked is answered to everybody. */
export async function saysYes(fetcher: typeof fetch, url: string, ms: number): Promise<boolean> {
  const watchdog = new Watchdog(ms);
  try {
    const answer = await fetcher(url, { redirect: "error", cache: "no-store", signal: watchdog.signal });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  } finally {
    watchdog.stop();
  }
}

/** Watches one exchange until stop() is called; `moved` once its server has given way to another one. */
export class Watch {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;
  readonly #before: number;

  constructor(
    private readonly silence: Silence,
    joinsMs: number,
    private readonly look: () => Promise<void>,
    private readonly moved: () => void,
  ) {
    this.#before = silence.givenWay;
    this.#again(joinsMs);
  }

  #again(ms: number): void {
    if (!this.#over) this.#timer = setTimeout(() => void this.#step(), ms);
  }

  async #step(): Promise<void> {
    if (this.silence.givenWay === this.#before && this.silence.restMs() <= 0) {
      this.silence.look ??= this.look().finally(() => (this.silence.look = undefined));
      await this.silence.look;
    }
    if (this.#over) return;
    if (this.silence.givenWay !== this.#before) this.moved();
    else this.#again(this.silence.restMs());
  }

  stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }
}
