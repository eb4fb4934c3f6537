// Digests and random names, from what the runtime has.

let found: Crypto | undefined = globalThis.crypto;

async function webCrypto(): Promise<Crypto> {
  // Node 18 has it, but not as a global. The name is put together so that bundlers for browsers do not look for it.
  found ??= ((await import(["node", "crypto"].join(":"))) as { webcrypto: Crypto }).webcrypto;
  return found;
}

export async function sha256(data: Uint8Array): Promise<string> {
  const digest = await (await webCrypto()).subtle.digest("SHA-256", data as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function randomName(): Promise<string> {
  return (await webCrypto()).randomUUID();
}

/** In pieces: a call has room for so many arguments only. */
export function base64(data: string | Uint8Array): string {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return btoa(pieces.join(""));
}
