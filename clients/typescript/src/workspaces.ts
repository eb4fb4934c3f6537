// Workspaces: the files that runs read. What the namespace has there already is not sent again.
import { sha256 } from "./crypto.js";
import { PaddockError } from "./errors.js";
import { part, type CallOptions, type Transport } from "./http.js";
import type { Tree, TreeAnswer, TreeEntry, TreeEntryInput, Workspace } from "./types.js";

const OFFERS = 3; // a blob may be removed between two offers, but not for ever

/** Contents by relative path. */
export type Files = Record<string, string | Uint8Array>;

function bytesOf(file: string | Uint8Array): Uint8Array {
  return typeof file === "string" ? new TextEncoder().encode(file) : file;
}

/** By the bytes of their UTF-8, as the server wants them. */
function inOrder(one: TreeEntryInput, other: TreeEntryInput): number {
  const [a, b] = [bytesOf(one.path), bytesOf(other.path)];
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
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
  async upload(name: string, files: Files, options: CallOptions = {}): Promise<Workspace> {
    const contents = new Map<string, Uint8Array>();
    const entries: TreeEntryInput[] = [];
    for (const [path, file] of Object.entries(files)) {
      const data = bytesOf(file);
      const digest = await sha256(data);
      contents.set(digest, data);
      entries.push({ path, digest, size: data.length });
    }
    entries.sort(inOrder);
    await this.#ensure(name, options);
    for (let offer = 0; offer < OFFERS; offer++) {
      const answer = await this.transport.json<TreeAnswer>("POST", `${this.#path(name)}/tree`, { entries }, { ...options, safe: true, timeoutMs: 120_000 });
      if (answer.stored && answer.missing.length === 0) return this.get(name, options);
      for (const digest of answer.missing) {
        const headers = { "Content-Type": "application/octet-stream" };
        const body = contents.get(digest) ?? new Uint8Array();
        await this.transport.request("PUT", `${this.#path(name)}/blobs/${part(digest)}`, { ...options, body, headers, timeoutMs: 600_000 });
      }
    }
    throw new PaddockError("the server keeps missing files that were sent", { code: "UPLOAD_INCOMPLETE", retryable: true });
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
