// A project's folder as `paddock compute` sends it: files, links that stay inside, empty folders, and what stays behind and why.
import type { Dirent } from "node:fs";
import { lstat, open, readFile, readdir, readlink, stat } from "node:fs/promises";
import { BUILT_IN, RULE_FILES, Rules, SECRETS } from "./ignore.js";
import { KEY_BEGINNING, MOST_KEY_BYTES, beginsWithPrivateKey } from "./private_key.js";
import type { Contents, Entry, StayedBehind } from "./workspaces.js";

const HOPS = 40; // as many links as a kernel follows
const OWN_DATA = ["paddock.db", "agent.lock"]; // of a controller and an agent: keys and tokens lie beside them

/** The contents of a folder. `leftOut` says what stays behind and why, secrets first. */
export interface FolderContents extends Contents {
  leftOut: StayedBehind[];
}

/** Why something stays behind. */
interface Reason {
  why: string;
  ofSecret?: boolean;
}

const KEY: Reason = { why: "built-in: a private key, by its content; a line !NAME in .paddockignore sends it", ofSecret: true };
const OWN: Reason = { why: "built-in: Paddock's own data; a line !NAME/ in .paddockignore sends it", ofSecret: true };

// Paths are bytes here, each as one character, as the rules want them.
const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const readable = (text: string): string => bytes(text).toString("utf8");
const byBytes = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export async function contentsOf(folder: string): Promise<FolderContents> {
  const found = new Found(Buffer.from(folder).toString("latin1"));
  await found.enter("");
  return found.finish();
}

class Found {
  readonly #rules = new Rules();
  readonly #builtIn = new Rules();
  readonly #secrets = new Rules();
  readonly #files = new Map<string, Entry>();
  readonly #links = new Map<string, string>();
  readonly #folders = new Set<string>();
  readonly #leftOut: StayedBehind[] = [];
  readonly #secretsLeftOut: StayedBehind[] = [];

  constructor(private readonly root: string) {
    this.#builtIn.add("", BUILT_IN + SECRETS);
    this.#secrets.add("", SECRETS);
  }

  #host(path: string): Buffer {
    return bytes(path ? `${this.root}/${path}` : this.root);
  }

  async #isFile(path: string): Promise<boolean> {
    return stat(this.#host(path)).then((found) => found.isFile(), () => false);
  }

  async enter(folder: string): Promise<void> {
    const listing: Dirent[] = await readdir(this.#host(folder), { withFileTypes: true, encoding: "latin1" });
    const entries = listing.sort((one, other) => byBytes(one.name, other.name));
    for (const entry of entries) {
      if (!RULE_FILES.includes(entry.name) || !entry.isFile()) continue;
      const text = (await readFile(this.#host(folder ? `${folder}/${entry.name}` : entry.name))).toString("latin1");
      this.#rules.add(folder, text);
      // A run never brings this one back, so that it alone may ask for secrets or .git.
      if (entry.name === ".paddockignore") this.#builtIn.add(folder, text);
    }
    for (const entry of entries) await this.#look(entry, folder ? `${folder}/${entry.name}` : entry.name);
  }

  async #look(entry: Dirent, path: string): Promise<void> {
    const isFolder = entry.isDirectory();
    const why = await this.#whyNot(path, isFolder);
    if (why) {
      this.#leave(isFolder ? `${path}/` : path, why);
    } else if (isFolder) {
      this.#folders.add(path);
      await this.enter(path);
    } else if (entry.isSymbolicLink()) {
      this.#links.set(path, (await readlink(this.#host(path), { encoding: "latin1" })) as string);
    } else if (entry.isFile() && !this.#named(path) && (await this.#isPrivateKey(path))) {
      this.#leave(path, KEY);
    } else if (entry.isFile()) {
      const executable = ((await lstat(this.#host(path))).mode & 0o100) !== 0;
      this.#files.set(path, { read: async () => new Uint8Array(await readFile(this.#host(path))), executable });
    } else {
      this.#leave(path, { why: "a device, a FIFO or a socket" });
    }
  }

  #leave(path: string, { why, ofSecret }: Reason): void {
    if (ofSecret) this.#secretsLeftOut.push({ path: readable(path), why: `a secret, ${why}` });
    else this.#leftOut.push({ path: readable(path), why });
  }

  /** Whether a rule takes this file in though it is a secret. */
  #named(path: string): boolean {
    return this.#builtIn.decide(path, false)?.negated === true;
  }

  async #isPrivateKey(path: string): Promise<boolean> {
    const file = await open(this.#host(path)).catch(() => undefined); // whoever sends it says why
    if (!file) return false;
    try {
      if ((await file.stat()).size > MOST_KEY_BYTES) return false;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(KEY_BEGINNING), 0, KEY_BEGINNING, 0);
      return beginsWithPrivateKey(buffer.toString("latin1", 0, bytesRead));
    } finally {
      await file.close();
    }
  }

  async #whyNot(path: string, isFolder: boolean): Promise<Reason | undefined> {
    const byARule = this.#rules.leaveOut(path, isFolder);
    if (byARule || this.#builtIn.leaveOut(path, isFolder)) {
      const why = byARule ? "by a rule" : "built-in; a line !NAME in .paddockignore sends it";
      return { why, ofSecret: this.#secrets.leaveOut(path, isFolder) };
    }
    if (!isFolder) return undefined;
    if ((await this.#isFile(`${path}/pyvenv.cfg`)) && !this.#rules.decide(path, true)) return { why: "a Python environment (pyvenv.cfg)" };
    for (const name of OWN_DATA) {
      if ((await this.#isFile(`${path}/${name}`)) && !this.#builtIn.decide(path, true)) return OWN;
    }
    return undefined;
  }

  finish(): FolderContents {
    const plain = new Map([...this.#links].map(([path, target]) => [path, plainTarget(target)]));
    const inside = new Map([...plain].filter(([path, target]) => !linkFault(path, target)));
    const links: [string, string][] = [];
    for (const [path, target] of plain) {
      const end = inside.has(path) ? resolve(path, inside) : undefined;
      if (end !== undefined && (end === "" || this.#folders.has(end) || this.#files.has(end))) links.push([path, target]);
      else this.#leave(path, { why: `a link that ${linkFault(path, target) || "leads to nothing that is sent"}` });
    }
    const filled = new Set([...this.#files.keys(), ...links.map(([path]) => path), ...this.#folders].map((each) => each.slice(0, Math.max(0, each.lastIndexOf("/")))));
    return {
      files: Object.fromEntries([...this.#files].map(([path, entry]) => [readable(path), entry])),
      links: Object.fromEntries(links.sort(([one], [other]) => byBytes(one, other)).map(([path, target]) => [readable(path), readable(target)])),
      folders: [...this.#folders].filter((each) => !filled.has(each)).sort(byBytes).map(readable),
      leftOut: [...this.#secretsLeftOut, ...this.#leftOut],
    };
  }
}

function plainTarget(target: string): string {
  return target.startsWith("/") ? target : target.split("/").filter((part) => part !== "" && part !== ".").join("/");
}

/** Why a link there cannot lead to `target`: up comes first only, and not above the folder. */
function linkFault(path: string, target: string): string {
  if (!target || target.startsWith("/")) return target ? "is absolute" : "is empty";
  const parts = target.split("/");
  const first = parts.findIndex((part) => part !== "..");
  const up = first < 0 ? parts.length : first;
  if (up > path.split("/").length - 1) return "leads out of the folder";
  return parts.slice(up).includes("..") ? "goes up behind a name" : "";
}

/** Where a path ends, links followed; the folder itself is empty. Nothing: links that lead in a circle. */
function resolve(path: string, links: Map<string, string>): string | undefined {
  const done: string[] = [];
  const rest = path.split("/").reverse();
  let hops = 0;
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part === "..") {
      done.pop();
      continue;
    }
    const target = links.get([...done, part].join("/"));
    if (target === undefined) {
      done.push(part);
      continue;
    }
    if (++hops > HOPS) return undefined;
    rest.push(...target.split("/").reverse());
  }
  return done.join("/");
}
