// Whether a file is a private key, by how it begins: under whatever name it lies. The CLI has the same rule. Texts are bytes, each as
// one character ("latin1").

/** A larger file is no key. */
export const MOST_KEY_BYTES = 1 << 20;
/** Of a file this much is looked at. */
export const KEY_BEGINNING = 16 << 10;
const BEGIN = "-----BEGIN ";
const END = "-----END ";
const DASHES = "-----";
/** How lines begin that only keys have. */
const OF_KEYS = ["PuTTY-User-Key-File-", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY", "AGE-SECRET-KEY-1"];

function isKeyLabel(label: string): boolean {
  return label.endsWith("PRIVATE KEY") || label === "PGP PRIVATE KEY BLOCK";
}

/** `X` of a line `-----BEGIN X-----`; empty of any other. */
function labelOf(line: string): string {
  const whole = line.startsWith(BEGIN) && line.slice(BEGIN.length).endsWith(DASHES);
  return whole ? line.slice(BEGIN.length, -DASHES.length) : "";
}

/** Comments, and the attributes that openssl prints. No source code. */
function mayComeBefore(line: string): boolean {
  if (/^\s*$/.test(line) || line.startsWith("#") || line === "Bag Attributes") return true;
  return /[:=]/.test(line) && !/["'`$;{]|<</.test(line);
}

/** The file that a cloud gives: "private_key": "-----BEGIN PRIVATE KEY-----… */
function isServiceAccount(text: string): boolean {
  const field = '"private_key"';
  const at = text.indexOf(field);
  const value = at < 0 ? "" : text.slice(at + field.length).replace(/^[ \t\r\n:]+/, "");
  return value.startsWith(`"${BEGIN}`) && isKeyLabel(value.slice(1 + BEGIN.length).split(DASHES)[0] ?? "");
}

/** A key in PEM (also behind certificates, parameters, comments and what `openssl` prints before it), of OpenSSH, PuTTY, PGP or age, or
 * of a service account in JSON. Source code that has a key in it is none. */
export function beginsWithPrivateKey(given: string): boolean {
  const text = given.startsWith("\xef\xbb\xbf") ? given.slice(3) : given;
  if (/^\s*\{/.test(text)) return isServiceAccount(text);
  let inside = false; // of something else in PEM
  for (const each of text.split("\n")) {
    const line = each.endsWith("\r") ? each.slice(0, -1) : each;
    const label = labelOf(line);
    if (isKeyLabel(label) || OF_KEYS.some((word) => line.startsWith(word))) return true;
    if (!inside && label === "" && !mayComeBefore(line)) return false;
    inside = label !== "" || (inside && !line.startsWith(END));
  }
  return false;
}
