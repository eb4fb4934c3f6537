// Workspaces: the files that runs read. What the namespace has there already is not sent again.
import { sha256 } from "./crypto.js";
import { PaddockError } from "./errors.js";
import { content, part, type CallOptions, type Transport } from "./http.js";
import type { RunSpecInput, Tree, TreeAnswer, TreeEntry, TreeInput, Workspace } from "./types.js";

const OFFERS = 3; // a blob may be removed between two offers, but not for ever
const MOST_TRIED = 2 << 20; // of more names a dry run is not told
const MOST_READ = 1 << 20; // of requirements; the server reads no larger file of them
const BESIDE = ["package.json", "package-lock.json", "pyproject.toml", "uv.lock"];

/** A file that is read when it is needed, at most twice: for its digest, and if the server lacks it. */
export interface Entry {
  read(): Promise<Uint8Array>;
  executable?: boolean | undefined;
}

export type File = string | Uint8Array | Entry;

/** Contents by relative path. */
export type Files = Record<string, File>;

/** A file, link or folder (with a slash at its end) that is not sent. */
export interface StayedBehind {
  path: string;
  why: string;
}

/** A folder; `contentsOf` of "paddock/node" makes one of a path of this host. */
export interface Contents {
  files: Files;
  /** target by path */
  links: Record<string, string>;
  /** with nothing in them */
  folders: string[];
  leftOut?: StayedBehind[] | undefined;
}

/** A workspace as it is stored, with what of the folder stayed behind, and why; secrets first. */
export type UploadedWorkspace = Workspace & { leftOut: StayedBehind[] };

async function bytesOf(file: File): Promise<Uint8Array> {
  if ("read" in Object(file)) return (file as Entry).read();
  const given = content(file);
  return typeof given === "string" ? new TextEncoder().encode(given) : given;
}

function isContents(given: Files | Contents): given is Contents {
  return typeof given.files === "object" && !(given.files instanceof Uint8Array) && Array.isArray(given.folders);
}

/** By the bytes of their UTF-8, as the server wants them. */
function inOrder(one: { path: string }, other: { path: string }): number {
  const [a, b] = [one.path, other.path].map((path) => new TextEncoder().encode(path)) as [Uint8Array, Uint8Array];
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

/** Whether a run's requirements are read from it, by its path: then it is sent first. The CLI has the same rule. */
function mayBeRequirements(entry: { path: string; size: number }, requirements: string): boolean {
  if (requirements === "" || entry.size > MOST_READ) return false;
  if (entry.path === requirements) return true;
  const folder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
  const name = entry.path.slice(folder(entry.path).length);
  if (BESIDE.includes(name) && folder(entry.path) === folder(requirements)) return true;
  return /\.(txt|in)$/.test(entry.path) && /requirements|constraints/.test(entry.path);
}

export interface UploadOptions extends CallOptions {
  /** a run that these files are for: what it would be refused for is the error, before they are sent */
  forRun?: RunSpecInput | undefined;
}

export class Workspaces {
  readonly #base: string;

  constructor(
    private readonly transport: Transport,
    base: string,
  ) {
    this.#base = `${base}/workspaces`;
  }

  #path(name: string): string {
    return `${this.#base}/${part(name)}`;
  }

  /** Afterwards these are all its files. */
  async upload(name: string, given: Files | Contents, options: UploadOptions = {}): Promise<UploadedWorkspace> {
    const { forRun, ...how } = options;
    const { files, links, folders, leftOut = [] }: Contents = isContents(given) ? given : { files: given, links: {}, folders: [] };
    const contents = new Map<string, File>();
    const tree: TreeInput = { entries: [] };
    for (const [path, file] of Object.entries(files)) {
      const data = await bytesOf(file);
      const digest = await sha256(data);
      contents.set(digest, file);
      const executable = typeof file === "object" && "read" in file && file.executable === true;
      tree.entries.push({ path, digest, size: data.length, ...(executable ? { executable } : {}) });
    }
    tree.entries.sort(inOrder);
    if (Object.keys(links).length > 0) tree.links = Object.entries(links).map(([path, target]) => ({ path, target })).sort(inOrder);
    if (folders.length > 0) tree.folders = folders.map((path) => ({ path })).sort(inOrder);
    await this.#ensure(name, how);
    for (let offer = 0; offer < OFFERS; offer++) {
      const answer = await this.transport.json<TreeAnswer>("POST", `${this.#path(name)}/tree`, tree, { ...how, safe: true, timeoutMs: 120_000 });
      if (answer.stored && answer.missing.length === 0) return { ...(await this.get(name, how)), leftOut };
      const early = new Set(tree.entries.filter((entry) => mayBeRequirements(entry, forRun?.requirements ?? "")).map((entry) => entry.digest));
      const first = answer.missing.filter((digest) => early.has(digest));
      const rest = answer.missing.filter((digest) => !early.has(digest));
      for (const digest of first) await this.#send(name, digest, contents.get(digest), how);
      if (forRun && offer === 0 && rest.length > 0) await this.#try(forRun, tree, how);
      for (const digest of rest) await this.#send(name, digest, contents.get(digest), how);
    }
    throw new PaddockError("the server keeps missing files that were sent", { code: "UPLOAD_INCOMPLETE", retryable: true });
  }

  async #send(name: string, digest: string, file: File | undefined, options: CallOptions): Promise<void> {
    const headers = { "Content-Type": "application/octet-stream" };
    const body = await bytesOf(file ?? "");
    await this.transport.request("PUT", `${this.#path(name)}/blobs/${part(digest)}`, { ...options, body, headers, timeoutMs: 600_000 });
  }

  /** What a run of these files would be refused for, if anything. A server of an earlier release cannot be asked. */
  async #try(spec: RunSpecInput, tree: TreeInput, options: CallOptions): Promise<void> {
    const few = JSON.stringify(tree).length <= MOST_TRIED;
    const body = { apiVersion: "paddock.dev/v1alpha1", kind: "Run", metadata: { generateName: "run-" }, spec, tree: few ? tree : null };
    try {
      await this.transport.json("POST", `${this.#base.replace(/workspaces$/, "runs")}?dryRun=All`, body, { ...options, safe: true });
    } catch (error) {
      if (!(error instanceof PaddockError) || !error.causes.some((cause) => cause.field === "tree")) throw error;
    }
  }

  async #ensure(name: string, options: CallOptions): Promise<void> {
    const body = { apiVersion: "paddock.dev/v1alpha1", kind: "Workspace", metadata: { name } };
    try {
      await this.transport.json("POST", this.#base, body, { ...options, safe: true });
    } catch (error) {
      if (!(error instanceof PaddockError) || error.reason !== "AlreadyExists") throw error;
    }
  }

  async get(name: string, options: CallOptions = {}): Promise<Workspace> {
    return this.transport.json<Workspace>("GET", this.#path(name), undefined, options);
  }

  async files(name: string, options: CallOptions = {}): Promise<TreeEntry[]> {
    return (await this.transport.json<Tree>("GET", `${this.#path(name)}/tree`, undefined, options)).entries;
  }

  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.transport.request("DELETE", this.#path(name), options);
  }
}
