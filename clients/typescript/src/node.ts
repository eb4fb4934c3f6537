// What only Node has: the instance on this host, a controller's own CA, and folders.
import { readFile } from "node:fs/promises";
import { request as plain } from "node:http";
import { request as secure } from "node:https";
import { homedir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { Client, type ClientOptions } from "./client.js";
import { PaddockError } from "./errors.js";

export { contentsOf, type FolderContents } from "./folder.js";

export interface ConnectOptions extends Omit<ClientOptions, "baseUrl" | "fetch"> {
  /** https://host:port; unless given as PADDOCK_SERVER, PADDOCK_TOKEN and PADDOCK_CA_FILE say, else the instance on this host */
  baseUrl?: string | undefined;
  /** of the CA that signed the server's certificate (PEM); the system's CAs unless given */
  caFile?: string | undefined;
}

interface Target {
  baseUrl: string;
  token: string;
  caFile: string | undefined;
}

type Environment = Record<string, string | undefined>;

function stateRoot(env: Environment): string {
  if (env["PADDOCK_HOME"]) return env["PADDOCK_HOME"];
  if (process.geteuid?.() === 0) return "/var/lib/paddock";
  const state = env["XDG_STATE_HOME"] ?? "";
  return state.startsWith("/") ? join(state, "paddock") : join(env["HOME"] ?? homedir(), ".local/state/paddock");
}

async function json(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
}

/** Nobody knows whether it will be started again, so nobody waits for it. */
function hasEnded(pointer: Record<string, unknown>): boolean {
  const { pid } = (pointer["controller"] ?? {}) as { pid?: unknown };
  try {
    if (typeof pid === "number" && pid > 0) process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: unknown }).code === "ESRCH";
  }
  return false;
}

/** The instance on this host, as its `paddock up` left word of it; its operator asks, unless PADDOCK_TOKEN is another's. */
async function localInstance(env: Environment): Promise<Target> {
  const name = env["PADDOCK_INSTANCE"] || "default";
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name)) throw new PaddockError("PADDOCK_INSTANCE is no name of an instance", { code: "INVALID_INSTANCE_NAME" });
  const folder = join(stateRoot(env), "instances", name);
  try {
    const pointer = await json(join(folder, "instance.json"));
    if (hasEnded(pointer)) throw new Error("its controller has ended");
    const baseUrl = String(pointer["url"]);
    const settings: Record<string, unknown> = await json(join(folder, "settings.json")).catch(() => ({}));
    const data = String(settings["dataDir"] || folder);
    const token = env["PADDOCK_TOKEN"] || (await readFile(join(data, "controller/tokens/admin"), "utf8")).trim();
    return { baseUrl, token, caFile: join(data, "controller/tls/ca.pem") };
  } catch (cause) {
    throw new PaddockError(
      `the instance \`${name}\` is not up on this host, or belongs to another user; \`paddock up\` starts it, PADDOCK_SERVER names one elsewhere`,
      { code: "INSTANCE_NOT_UP" },
      { cause },
    );
  }
}

async function target(options: ConnectOptions, environment: Environment): Promise<Target> {
  const env = options.token ? { ...environment, PADDOCK_TOKEN: options.token } : environment;
  if (options.baseUrl) return { baseUrl: options.baseUrl, token: options.token ?? "", caFile: options.caFile };
  if (env["PADDOCK_SERVER"]) return { baseUrl: env["PADDOCK_SERVER"], token: env["PADDOCK_TOKEN"] ?? "", caFile: env["PADDOCK_CA_FILE"] || undefined };
  return localInstance(env);
}

/** As `paddock` itself decides which controller is meant. */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  const { baseUrl, token, caFile } = await target(options, process.env);
  let ca: string | undefined;
  try {
    ca = caFile === undefined ? undefined : await readFile(caFile, "utf8");
  } catch (cause) {
    throw new PaddockError(`the CA file \`${caFile}\` cannot be read`, { code: "CA_FILE_UNREADABLE" }, { cause });
  }
  return new Client({ ...options, baseUrl, token, ...(ca === undefined ? {} : { fetch: fetchTrusting(ca) }) });
}

/** The runtime's own fetch takes no CA: this one does, and as much of fetch as a client uses. */
function fetchTrusting(ca: string): typeof fetch {
  return (input, init = {}) =>
    new Promise<Response>((resolve, reject) => {
      const url = new URL(String(input));
      const headers = Object.fromEntries(new Headers(init.headers));
      const options = { method: init.method ?? "GET", headers, ca, ...(init.signal ? { signal: init.signal } : {}) };
      const asked = url.protocol === "https:" ? secure(url, options) : plain(url, options);
      asked.on("socket", (socket) => socket.setKeepAlive(true, 30_000)); // an answer may be silent for long
      asked.on("error", (cause) => reject(new TypeError("fetch failed", { cause })));
      asked.on("response", (answer) => {
        const status = answer.statusCode ?? 0;
        const found = new Headers();
        for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) found.append(answer.rawHeaders[at] ?? "", answer.rawHeaders[at + 1] ?? "");
        if (status >= 300 && status < 400) {
          answer.destroy();
          return reject(new TypeError("fetch failed: a redirect"));
        }
        const empty = status === 204 || init.method === "HEAD";
        if (empty) answer.resume();
        resolve(new Response(empty ? null : (Readable.toWeb(answer) as NodeStream as unknown as ReadableStream), { status, headers: found }));
      });
      asked.end(init.body === undefined || init.body === null ? undefined : typeof init.body === "string" ? init.body : Buffer.from(init.body as Uint8Array));
    });
}
