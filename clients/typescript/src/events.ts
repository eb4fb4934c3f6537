// What a run tells of itself while it runs, in order, each once, also when the connection breaks in between.
import { PaddockError, isObject, unexpected } from "./errors.js";
import type { CallOptions, Transport } from "./http.js";
import type { RunStatus, SandboxResult } from "./types.js";
import { Waited, isStreamLost, longestTry, pause, pauseFor } from "./waiting.js";

const MAX_EVENT = 4 << 20;
const SILENCE_MS = 15_000; // the server sends a heartbeat every second
const MAX_GAPS = 20;

export type RunEvent =
  | { id: number; type: "stdout" | "stderr" | "system"; time: string; data: string; base64?: string }
  | { id: number; type: "phase"; phase: RunStatus["phase"]; reason: string; message: string; attempt: number }
  /** always the last */
  | { id: number; type: "end"; phase: RunStatus["phase"]; rc: number; status: SandboxResult["status"]; message: string };

export interface FollowOptions extends CallOptions {
  /** the events behind this one */
  after?: number | undefined;
  /** how long to go on without any answer, the client's unless given; then PaddockError STREAM_LOST */
  patienceMs?: number | undefined;
}

/** The lines of a body, without their ends; what is torn is left out, it comes again. */
async function* lines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    const found = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = found.pop() ?? "";
    if (rest.length > MAX_EVENT) throw new PaddockError("the server sent an event that is too large", { code: "EVENT_TOO_LARGE" });
    for (const line of found) yield line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}

interface Message {
  id: string;
  event: string;
  data: string | undefined;
}

/** The whole messages of a text/event-stream. */
export async function* messages(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Message, void, undefined> {
  let found: Message = { id: "", event: "message", data: undefined };
  for await (const line of lines(pieces)) {
    if (line === "") {
      if (found.data !== undefined) yield found;
      found = { id: "", event: "message", data: undefined };
      continue;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") found.data = found.data === undefined ? value : `${found.data}\n${value}`;
    if (name === "id" || name === "event") found[name] = value;
    if ((found.data?.length ?? 0) > MAX_EVENT) throw new PaddockError("the server sent an event that is too large", { code: "EVENT_TOO_LARGE" });
  }
}

function eventOf<Event>(message: Message): { id: number; event: Event } {
  let fields: unknown;
  try {
    fields = JSON.parse(message.data ?? "");
  } catch {
    fields = undefined;
  }
  if (!/^\d{1,15}$/.test(message.id) || !isObject(fields)) throw unexpected("an event without a number or data");
  const id = Number(message.id);
  return { id, event: { ...fields, id, type: message.event } as Event };
}

function streamLost(): PaddockError {
  return new PaddockError("the connection to the events is lost; what they tell of goes on", { code: "STREAM_LOST", retryable: true });
}

/** Follows one stream of numbered events to `end`. */
export async function* follow<Event extends { type: string }>(
  transport: Transport,
  target: string,
  options: FollowOptions = {},
): AsyncGenerator<Event, void, undefined> {
  let after = options.after ?? 0;
  let failed = 0;
  let gaps = 0;
  const patience = options.patienceMs ?? transport.patienceMs;
  const waited = new Waited();
  for (;;) {
    let lost = streamLost();
    try {
      const headers = { Accept: "text/event-stream", ...(after ? { "Last-Event-ID": String(after) } : {}) };
      const { response, pieces, close } = await transport.open("GET", target, { headers, signal: options.signal, timeoutMs: Math.min(SILENCE_MS, longestTry(patience, waited.ms())) });
      if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
        close();
        throw unexpected("it has no events");
      }
      waited.again();
      for await (const message of messages(pieces)) {
        waited.again();
        const { id, event } = eventOf<Event>(message);
        if (id <= after) continue; // seen before
        if (id !== after + 1) {
          gaps++;
          break; // something is missing: ask again from the last seen
        }
        after = id;
        failed = gaps = 0;
        yield event;
        if (event.type === "end") return;
      }
    } catch (error) {
      if (!(error instanceof PaddockError) || !error.retryable) throw error;
      lost = error;
    }
    failed++;
    const waitedMs = waited.ms();
    if (isStreamLost(patience, waitedMs, failed) || gaps > MAX_GAPS) {
      throw streamLost();
    }
    transport.tell(failed, lost);
    await pause(pauseFor(failed, lost.retryAfterMs, patience, waitedMs, transport.several), options.signal);
  }
}
