// A program that uses the TypeScript client as its users do, from an empty folder: strict, and with the types that it was given.
import { Client, PaddockError, type RunEvent } from "paddock";
import { connect, contentsOf } from "paddock/node";

const { server, token, ca, project } = JSON.parse(process.argv[2] ?? "{}") as Record<"server" | "token" | "ca" | "project", string>;

async function refused(call: () => Promise<unknown>): Promise<PaddockError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof PaddockError) return error;
  }
  throw new Error("it was not refused");
}

const stranger = await refused(() => new Client({ baseUrl: server, token }).runs.get("x")); // the CA is nobody's
console.log(stranger.code, stranger.retryable, stranger.cause instanceof Error);
const mistrusted = await connect({ baseUrl: server, token });
console.log((await refused(() => mistrusted.runs.get("x"))).code);
console.log((await refused(() => connect({ baseUrl: server, token, caFile: "/none" }))).code);
console.log((await refused(() => new Client({ baseUrl: server.replace("https", "http"), token }).runs.get("x"))).code);
const named = await connect({ baseUrl: server, token, caFile: ca });
console.log((await refused(() => named.runs.get("x"))).code);

const client = await connect(); // the instance on this host
const contents = await contentsOf(project);
const { leftOut } = await client.workspaces.upload("using-ts", contents);
console.log(JSON.stringify({ ...contents, files: Object.keys(contents.files), leftOut }));
console.log(JSON.stringify((await client.workspaces.files("using-ts")).map((entry) => [entry.path, entry.executable ?? false])));
const { metadata } = await client.runs.create({ type: "command", command: ["sh", "-c", "./sub/run.sh; cat latest/model.txt"], workspace: "using-ts" });
const events: RunEvent[] = [];
for await (const event of client.runs.streamEvents(metadata.name ?? "")) events.push(event);
console.log(events.flatMap((event) => (event.type === "stdout" ? event.data.trim().split("\n") : [])).join(" "), events.at(-1)?.type);
const controller = new AbortController();
const waiting = client.runs.wait((await client.runs.create({ type: "command", command: ["sleep", "600"] }, { name: "ts-left" })).metadata.name ?? "", { signal: controller.signal });
controller.abort(new Error("enough"));
console.log(await waiting.catch((error: unknown) => String(error)));
await client.runs.cancel("ts-left");
