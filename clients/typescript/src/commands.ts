// Commands that are under way: what they write as soon as they write it, and at last how they ended.
import { PaddockError, isObject, unexpected } from "./errors.js";
import { messages } from "./events.js";
import type { Sending, Transport } from "./http.js";
import type { RunResult } from "./types.js";

// Node 18 lacks the symbol that `await using` looks for.
if (!Symbol.asyncDispose) Object.defineProperty(Symbol, "asyncDispose", { value: Symbol.for("Symbol.asyncDispose") });

/** What a command wrote, as soon as it wrote it, and at last how it ended. A character that came in two pieces is in the second one's
 * `text`. */
export type CommandEvent =
  | { type: "stdout" | "stderr"; data: Uint8Array; text: string }
  | { type: "result"; result: RunResult };

/** Asks for it, once: `target` takes commands. */
export async function* commandEvents(
  transport: Transport,
  target: string,
  asked: unknown,
  sending: Sending,
): AsyncGenerator<CommandEvent | { type: "started" }, void, undefined> {
  const headers = { Accept: "text/event-stream", "Content-Type": "application/json" };
  const { pieces } = await transport.open("POST", `${target}?stream=true`, { ...sending, headers, body: JSON.stringify(asked) });
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const message of messages(pieces)) {
    const event = eventOf(message.event, message.data ?? "", decoders);
    if (event) yield event;
    if (event?.type === "result") return;
  }
  throw new PaddockError("the connection to the command was lost, and the command ended with it", { code: "STREAM_LOST" });
}

type Decoders = Record<"stdout" | "stderr", TextDecoder>;

function eventOf(type: string, data: string, decoders: Decoders): CommandEvent | { type: "started" } | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(data);
    if (!isObject(fields)) throw new TypeError();
    if (type === "stdout" || type === "stderr") {
      const bytes = Uint8Array.from(atob(String(fields["base64"])), (letter) => letter.charCodeAt(0));
      return { type, data: bytes, text: decoders[type].decode(bytes, { stream: true }) };
    }
  } catch {
    throw unexpected("an event without data");
  }
  if (type === "started") return { type };
  if (type === "result") return { type, result: fields as unknown as RunResult };
  if (type !== "error") return undefined;
  throw new PaddockError(String(fields["message"]), { code: String(fields["code"]), retryable: fields["retryable"] === true });
}
