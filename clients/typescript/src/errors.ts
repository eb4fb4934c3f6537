// What a call may end with.
import type { Reason } from "./reasons.js";
import type { RunResult } from "./types.js";

/** One field that is wrong. */
export interface Cause {
  /** path in what was sent: spec.command[2] */
  field: string;
  message: string;
}

export interface Failure {
  code: Reason | (string & {});
  statusCode?: number;
  reason?: string;
  causes?: readonly Cause[];
  retryable?: boolean;
  retryAfterMs?: number;
  details?: Record<string, unknown>;
}

/** The first cause is mostly what the message says; of the others it says how many there are. */
function withCauses(message: string, causes: readonly Cause[]): string {
  const rest = causes.filter((each, index) => each.message && (index > 0 || !message.includes(each.message)));
  return rest.length ? `${message} (${rest.map((each) => `${each.field}: ${each.message}`).join("; ")})` : message;
}

/** The server refused, or could not be reached: then `cause` is what the runtime said. */
export class PaddockError extends Error {
  /** stable, for programs: COMMAND_NOT_ALLOWED, RUN_NOT_FOUND, UNREACHABLE, …; a later server may say others */
  readonly code: Reason | (string & {});
  /** of HTTP; 0 where there was no answer */
  readonly statusCode: number;
  /** the wider class, in Kubernetes' words: BadRequest, NotFound, Conflict, … */
  readonly reason: string;
  readonly causes: readonly Cause[];
  /** the same request may succeed later */
  readonly retryable: boolean;
  /** what the server wants to pass before */
  readonly retryAfterMs: number;
  /** what else the server says */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, failure: Failure, options?: ErrorOptions) {
    super(withCauses(message, failure.causes ?? []), options);
    this.name = "PaddockError";
    this.code = failure.code;
    this.statusCode = failure.statusCode ?? 0;
    this.reason = failure.reason ?? "";
    this.causes = failure.causes ?? [];
    this.retryable = failure.retryable ?? false;
    this.retryAfterMs = failure.retryAfterMs ?? 0;
    this.details = failure.details ?? {};
  }

  /** The first field that is wrong, if any; `causes` has all. */
  get field(): string | undefined {
    return this.causes[0]?.field;
  }
}

/** A session's command took longer than its caller's `timeoutMs`, and was ended (COMMAND_TIMEOUT). */
export class CommandTimedOut extends PaddockError {
  constructor(
    readonly timeoutMs: number,
    /** how it was ended, with its output up to then; what came as a stream is not repeated */
    readonly result: RunResult,
  ) {
    super(`the command took longer than the ${timeoutMs} ms that its caller gave it (timeoutMs), and was ended`, { code: "COMMAND_TIMEOUT" });
    this.name = "CommandTimedOut";
  }
}

type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown, name: string): string {
  const found = isObject(value) ? value[name] : undefined;
  return typeof found === "string" ? found : "";
}

/** From an answer that is no success, whatever is in it. */
export function errorOf(statusCode: number, body: string, retryAfterMs: number): PaddockError {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    value = undefined;
  }
  const error = isObject(value) && isObject(value["error"]) ? value["error"] : {};
  const { causes, ...details } = isObject(error["details"]) ? error["details"] : {};
  const retryable = error["retryable"];
  return new PaddockError(text(value, "message") || `the server answered ${statusCode}`, {
    code: text(error, "code") || "UNEXPECTED_ANSWER",
    statusCode,
    reason: text(value, "reason"),
    causes: Array.isArray(causes) ? causes.map((each) => ({ field: text(each, "field"), message: text(each, "message") })) : [],
    retryable: typeof retryable === "boolean" ? retryable : [429, 502, 503, 504].includes(statusCode),
    retryAfterMs,
    details,
  });
}

export function unexpected(what: string): PaddockError {
  return new PaddockError(`the server's answer is not understood: ${what}`, { code: "UNEXPECTED_ANSWER" });
}
