// Requests, repeated only where that can do nothing twice.
import { PaddockError, errorOf, unexpected } from "./errors.js";
import { LEAD_TIMES, Silence, Watch, saysYes, type LeadTimes } from "./lead.js";
import { FEW_TRIES, PATIENCE_MS, Waited, Watchdog, askedFor, isUsedUp, longestTry, pause, pauseFor } from "./waiting.js";

const MAX_ERROR = 1 << 20;
const REPEATABLE = ["GET", "PUT", "DELETE"];
/** Nothing has been begun: such a request may be sent again whatever it asks for. */
const NEVER_BEGUN = ["UNREACHABLE", "SERVER_NAME_UNKNOWN", "NOT_LEADER", "STORE_FENCED", "NO_NODE", "NODES_BUSY", "TOO_MANY_CALLS"];
/** What does not become right by waiting, as far as one can tell. */
const WRONG_ADDRESS = ["SERVER_NAME_UNKNOWN", "SERVER_NOT_TRUSTED", "WRONG_PROTOCOL", "CERTIFICATE_NOT_VALID_NOW"];
/** Nothing has been begun, and another address of the same instance may answer. */
const PASSED_OVER = ["UNREACHABLE", "NOT_LEADER", "STORE_FENCED", ...WRONG_ADDRESS];
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const NOT_SENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"];
/** The words of OpenSSL's verification, as Node has them, and Node's own. */
const NOT_TRUSTED = /CERT|ISSUER|LEAF_SIGNATURE|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH|ERR_TLS/;
/** What Node says of bytes that are not TLS: its fetch the first two, by its OpenSSL; its https the last. */
const NO_TLS = ["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_RECORD_LAYER_FAILURE", "EPROTO"];
/** What Node's parser says of an answer that does not begin as HTTP does. */
const NO_HTTP = "HPE_INVALID_CONSTANT";

/** What every call takes. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface Sending extends CallOptions {
  body?: Uint8Array | string | undefined;
  headers?: Record<string, string> | undefined;
  /** of silence, until the answer and in it */
  timeoutMs?: number | undefined;
  /** sending it twice does it once */
  safe?: boolean | undefined;
  /** when, by performance.now(), nobody waits for it any more: no try begins later, and no pause ends later */
  until?: number | undefined;
  /** how long it is sent again while no server answers; the client's unless given */
  patienceMs?: number | undefined;
}

/** The milliseconds that an answer is given even if nobody waits longer. */
const A_LOOK_MS = 1000;

export interface Answer {
  contentType: string;
  body: Uint8Array;
}

/** A successful answer whose body is still to be read. */
export interface Opened {
  response: Response;
  /** of the body; leaving the loop over them closes it */
  pieces: AsyncGenerator<Uint8Array, void, undefined>;
  /** instead of reading it */
  close(): void;
}

function invalid(message: string): PaddockError {
  return new PaddockError(message, { code: "INVALID_SERVER" });
}

/** Why a request ended without an answer. `stranger`: nothing has ever come from its server. */
function lost(error: unknown, watchdog: Watchdog, caller?: AbortSignal, stranger = false): unknown {
  if (caller?.aborted) return caller.reason;
  if (watchdog.expired) return new PaddockError("the server did not answer in time", { code: "TIMEOUT", retryable: true });
  if (error instanceof PaddockError) return error;
  const cause = { cause: error };
  const code = codeOf(error);
  if (code === "CERT_NOT_YET_VALID" || code === "CERT_HAS_EXPIRED") {
    return new PaddockError("the server's certificate is not valid by this host's clock: set the clock, or renew the certificate", { code: "CERTIFICATE_NOT_VALID_NOW" }, cause);
  }
  if (NOT_TRUSTED.test(code)) {
    return new PaddockError(`the server's certificate is not trusted (${code}): connect() of "paddock/node" takes a caFile, NODE_EXTRA_CA_CERTS names one`, { code: "SERVER_NOT_TRUSTED" }, cause);
  }
  const wrong = stranger && (NO_TLS.includes(code) ? "TLS on this port: correct the port, or write http:// for a server on this host"
    : code === NO_HTTP ? "HTTP on this port: correct the port, or write https://" : "");
  if (wrong) return new PaddockError(`the server speaks no ${wrong}`, { code: "WRONG_PROTOCOL" }, cause);
  // That a name cannot be found out now is EAI_AGAIN.
  if (code === "ENOTFOUND" && stranger && onLinux()) {
    return new PaddockError("there is no host of this name: correct the address of the server", { code: "SERVER_NAME_UNKNOWN" }, cause);
  }
  if (NOT_SENT.includes(code)) return new PaddockError(`the server cannot be reached: ${code}`, { code: "UNREACHABLE", retryable: true }, cause);
  return new PaddockError("the connection was lost before the whole answer was there", { code: "CONNECTION_LOST", retryable: true }, cause);
}

/** macOS and Windows say of every name that it is not found while there is no network. */
function onLinux(): boolean {
  return (globalThis as { process?: { platform?: string } }).process?.platform === "linux";
}

/** The code of what fetch threw: its own or its cause's, also where several addresses were tried. */
function codeOf(error: unknown): string {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; depth++) {
    const { code, errors, cause } = each as { code?: unknown; errors?: unknown; cause?: unknown };
    if (typeof code === "string" && code !== "") return code;
    each = Array.isArray(errors) ? errors[0] : cause;
  }
  return "";
}

export function checkedUrl(baseUrl: string, token: string): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw invalid(`${baseUrl} must be an address such as https://host:port`);
  }
  if (!["http:", "https:"].includes(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw invalid(`${baseUrl} must be an address such as https://host:port`);
  }
  if (token && url.protocol === "http:" && !LOOPBACK.includes(url.hostname)) {
    throw invalid(`${baseUrl}: a token is sent over https:// only, or to this host`);
  }
  if (!/^[!-~]*$/.test(token)) throw new PaddockError("a token has visible ASCII characters only", { code: "INVALID_TOKEN" });
  return url.href.replace(/\/+$/, "");
}

/** There was no answer, or one that the server cannot work now: it is being started, mended or moved. */
export function nobodyThere(error: PaddockError): boolean {
  return ["UNREACHABLE", "NOT_LEADER", "CONNECTION_LOST", "TIMEOUT", "UNEXPECTED_ANSWER"].includes(error.code) || error.code.startsWith("STORE_");
}

/** Whether a numbered piece of a command's input that failed so is not with its command. `doubtful`: an earlier try of it had no answer,
 * so only who looked into the piece and refused what it says tells that the command has it not. */
export function inputWasNotTaken(error: PaddockError, doubtful: boolean): boolean {
  if (doubtful) return [400, 412, 413].includes(error.statusCode);
  return (error.statusCode >= 400 && error.statusCode < 500) || NEVER_BEGUN.includes(error.code);
}

/** What a file or an input gets. Of anything else that JavaScript passes here something would be sent that nobody meant. */
export function content(data: unknown): string | Uint8Array {
  if (typeof data === "string" || data instanceof Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw new TypeError(`contents are text or a Uint8Array, not ${data === null ? "null" : typeof data}`);
}

export class Transport {
  /** The addresses of one instance's controllers, of which one at a time answers. */
  readonly #baseUrls: string[];
  #turn = 0;
  /** no field that is seen: who logs a client or a session logs no token */
  readonly #token: string;
  /** of each address, while somebody waits for it */
  readonly #silences: Silence[];
  /** those that have answered: that the name of one is not found later is the network's fault, and passes */
  readonly #met = new Set<string>();

  constructor(
    baseUrl: string,
    token: string,
    private readonly timeoutMs: number,
    private readonly fetcher: typeof fetch,
    readonly patienceMs = PATIENCE_MS,
    private readonly onWaiting?: (error: PaddockError) => void,
    private readonly times: LeadTimes = LEAD_TIMES,
  ) {
    this.#token = token;
    this.#baseUrls = baseUrl.split(",").map((each) => checkedUrl(each.trim(), token));
    this.#silences = this.#baseUrls.map(() => new Silence(times));
  }

  /** Another address may answer where one does not. */
  get several(): boolean {
    return this.#baseUrls.length > 1;
  }

  async #look(at: number, silence: Silence): Promise<void> {
    if (await saysYes(this.fetcher, `${this.#baseUrls[at]}/livez`, silence.patienceMs())) return silence.heard();
    for (let other = 0; other < this.#baseUrls.length; other++) {
      if (other === at || !(await saysYes(this.fetcher, `${this.#baseUrls[other]}/readyz`, this.times.answersMs))) continue;
      this.#turn = other;
      silence.givenWay++;
      return;
    }
    silence.unanswered();
  }

  /** Of several servers: who waits in silence for one is told when another one leads. */
  #watch(turn: number, watchdog: Watchdog): void {
    const at = turn % this.#baseUrls.length;
    const silence = this.#silences[at];
    if (!this.several || !silence) return;
    const watch = new Watch(silence, this.times.joinsMs, () => this.#look(at, silence), () => watchdog.moveOn());
    watchdog.tell({ heard: () => silence.heard(), stopped: () => watch.stop() });
  }

  /** One try, up to the head of a successful answer. Whoever calls it reads the pieces or closes it. */
  async open(method: string, target: string, sending: Sending = {}): Promise<Opened> {
    const left = Math.max(A_LOOK_MS, (sending.until ?? Infinity) - performance.now());
    const watchdog = new Watchdog(Math.min(sending.timeoutMs ?? this.timeoutMs, left), sending.signal);
    const turn = this.#turn;
    const baseUrl = this.#baseUrls[turn % this.#baseUrls.length] ?? "";
    this.#watch(turn, watchdog);
    let answered = false;
    try {
      const response = await this.fetcher(baseUrl + target, {
        method,
        headers: { ...(this.#token ? { Authorization: `Bearer ${this.#token}` } : {}), ...sending.headers },
        ...(sending.body === undefined ? {} : { body: sending.body as BodyInit }),
        redirect: "error",
        cache: "no-store",
        signal: watchdog.signal,
      });
      answered = true;
      watchdog.touch();
      this.#met.add(baseUrl);
      const pieces = read(response, watchdog, sending.signal);
      const close = (): void => {
        watchdog.stop();
        response.body?.cancel().catch(() => undefined); // gone is gone
      };
      if (response.ok) return { response, pieces, close };
      throw errorOf(response.status, new TextDecoder().decode(await joined(pieces, MAX_ERROR)), askedFor(response.headers.get("retry-after")));
    } catch (error) {
      watchdog.stop();
      const ended = lost(error, watchdog, sending.signal, !this.#met.has(baseUrl));
      const leads = answered && !(ended instanceof PaddockError && ["NOT_LEADER", "STORE_FENCED"].includes(ended.code));
      if (!leads && !sending.signal?.aborted && this.#turn === turn) this.#turn++;
      throw ended;
    }
  }

  async #once(method: string, target: string, sending: Sending): Promise<Answer> {
    const { response, pieces } = await this.open(method, target, sending);
    return { contentType: response.headers.get("content-type") ?? "", body: await joined(pieces) };
  }

  /** Asks each of several addresses once, until one answers that leads. */
  async #somewhere(method: string, target: string, sending: Sending): Promise<Answer> {
    const failed: PaddockError[] = [];
    while (failed.length < this.#baseUrls.length) {
      try {
        return await this.#once(method, target, sending);
      } catch (error) {
        if (!(error instanceof PaddockError && PASSED_OVER.includes(error.code))) throw error;
        failed.push(error);
      }
    }
    // Not a wrong address, while another server may come back.
    throw failed.reverse().find((each) => !WRONG_ADDRESS.includes(each.code)) ?? failed[0];
  }

  async request(method: string, target: string, sending: Sending = {}): Promise<Uint8Array> {
    return (await this.answer(method, target, sending)).body;
  }

  async answer(method: string, target: string, sending: Sending = {}): Promise<Answer> {
    const safe = sending.safe || REPEATABLE.includes(method);
    const bounded = safe && sending.timeoutMs === undefined; // another may be at work, or was given its own time
    const ask = (mostMs: number): Promise<Answer> => this.#somewhere(method, target, bounded ? { ...sending, timeoutMs: Math.min(this.timeoutMs, mostMs) } : sending);
    return this.repeated(ask, safe, sending);
  }

  /** Once of whatever goes on after the few tries. */
  tell(failed: number, error: PaddockError): void {
    if (failed === FEW_TRIES) this.onWaiting?.(error);
  }

  /** Until it succeeds, fails for good, or has been tried often enough. `safe`: doing it twice does it once. `action` is told
   * for how many milliseconds it may be without a sign of an answer. */
  async repeated<T>(action: (mostMs: number) => Promise<T>, safe: boolean, sending: Pick<Sending, "signal" | "until" | "patienceMs">): Promise<T> {
    const { signal, until = Infinity, patienceMs = this.patienceMs } = sending;
    const waited = new Waited();
    for (let failed = 1; ; failed++) {
      try {
        return await action(longestTry(patienceMs, waited.ms()));
      } catch (error) {
        if (!(error instanceof PaddockError) || !error.retryable) throw error;
        const waitedMs = waited.ms();
        const patient = waitedMs < patienceMs && nobodyThere(error);
        if (failed >= FEW_TRIES && !patient) throw error;
        if (isUsedUp(patienceMs, waitedMs, failed)) throw error;
        if (!safe && !NEVER_BEGUN.includes(error.code)) throw error;
        const left = until - performance.now();
        if (left <= 0) throw error;
        this.tell(failed, error);
        await pause(Math.min(left, pauseFor(failed, error.retryAfterMs, patienceMs, waitedMs, this.several)), signal);
      }
    }
  }

  /** One try, for those who repeat by a rule of their own; `body` is sent as JSON. */
  async tryJson(method: string, target: string, body: unknown, sending: Sending = {}): Promise<void> {
    const headers = { Accept: "application/json", "Content-Type": "application/json" };
    await this.#somewhere(method, target, { ...sending, headers, body: JSON.stringify(body) });
  }

  /** The answer as JSON of the type that the API declares; `body` is sent as JSON. */
  async json<T>(method: string, target: string, body?: unknown, sending: Sending = {}): Promise<T> {
    const headers = { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...sending.headers };
    const answer = await this.request(method, target, { ...sending, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    try {
      return JSON.parse(new TextDecoder().decode(answer)) as T;
    } catch {
      throw unexpected("it is no JSON");
    }
  }
}

async function* read(response: Response, watchdog: Watchdog, caller?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  try {
    while (reader) {
      const { done, value } = await reader.read();
      if (done) return;
      watchdog.touch();
      yield value;
    }
  } catch (error) {
    throw lost(error, watchdog, caller);
  } finally {
    watchdog.stop();
    await reader?.cancel().catch(() => undefined); // no effect on what has been read to its end
  }
}

/** All of it in one piece, or its first `most` bytes. */
async function joined(pieces: AsyncIterable<Uint8Array>, most = Infinity): Promise<Uint8Array> {
  const found: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    found.push(piece);
    size += piece.length;
    if (size >= most) break;
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of found) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** A name as one part of a path: nothing in it leads elsewhere. */
export function part(name: string): string {
  if (["", ".", ".."].includes(name)) throw new PaddockError(`"${name}" is no name`, { code: "INVALID_NAME" });
  return encodeURIComponent(name);
}

/** A relative path in a tree, each part of it encoded. */
export function pathIn(path: string): string {
  return path.split("/").map(part).join("/");
}

/** The path of a session's file, as programs there name it: relative, or below /workspace; encoded. Empty: the folder itself. */
export function pathInside(path: string): string {
  let inside = path;
  if (inside === "/workspace" || inside.startsWith("/workspace/")) inside = inside.slice("/workspace".length).replace(/^\/+/, "");
  while (inside.startsWith("./")) inside = inside.slice(2).replace(/^\/+/, "");
  inside = inside.replace(/\/+$/, "") || inside.slice(0, 1);
  if (inside === "" || inside === ".") return "";
  if (inside.split("/").some((each) => ["", ".", ".."].includes(each)))
    throw new PaddockError(`"${path}" is no path below /workspace, such as src/a.py`, { code: "INVALID_NAME" });
  return pathIn(inside);
}

/** Text as it is; of words, the text by which the shell inside gives each of them to the program as it is. */
export function shellText(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  return command.map((word) => `'${word.replace(/'/g, `'\\''`)}'`).join(" "); // quoted all: `A=b` or `if` would be the shell's own
}

/** `?a=1&b=true` of those that are given. */
export function query(given: Record<string, string | number | boolean | undefined>): string {
  const words = Object.entries(given).filter((each): each is [string, string | number | boolean] => each[1] !== undefined);
  return words.length ? `?${new URLSearchParams(words.map(([name, value]) => [name, String(value)]))}` : "";
}
