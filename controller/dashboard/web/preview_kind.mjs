// What a file can be shown as, by its name and its first bytes. Pure. There are four ways and no others: text, a table
// of text, JSON as text, and the pixels of a picture. Nothing that a run left is ever given to the browser as a page.

export const MOST_TEXT = 512 * 1024;
export const MOST_IMAGE = 16 * 1024 * 1024;
export const MOST_PIXELS = 24_000_000;
export const MOST_ROWS = 200;
export const MOST_COLUMNS = 40;

const TEXT = /\.(txt|log|md|rst|json|jsonl|ndjson|csv|tsv|ya?ml|toml|ini|cfg|conf|xml|html?|svg|css|[cm]?[jt]sx?|py|sh|c|cc|cpp|h|hpp|rs|go|java|rb|pl|r|jl|sql|tex|diff|patch|out|err|env|lock|ipynb)$/i;
const NAMES_OF_TEXT = /(^|\/)(README|LICENSE|Makefile|Dockerfile|NOTICE|CHANGELOG)$/i;
const IMAGE = /\.(png|jpe?g|gif|webp)$/i;

// By its name alone: whether it is worth to be asked for.
export function kindOf({ path, size }) {
  if (IMAGE.test(path)) return size <= MOST_IMAGE ? "image" : "";
  if (!(size <= MOST_TEXT)) return "";
  if (/\.(csv|tsv)$/i.test(path)) return "table";
  if (/\.(json|ipynb)$/i.test(path)) return "json";
  return TEXT.test(path) || NAMES_OF_TEXT.test(path) || size === 0 ? "text" : "";
}

const starts = (bytes, ...wanted) => wanted.every((value, i) => bytes[i] === value);
const ascii = (bytes, at, text) => [...text].every((character, i) => bytes[at + i] === character.charCodeAt(0));

const alone = (marker) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

// The size of a JPEG stands in its frame header, behind segments of any length, fill bytes and markers without a length:
// what a decoder skips has to be skipped in the same way, or it finds another header than we.
function jpegSize(bytes, view) {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1];
    if (marker === 0xff || alone(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === 0 || marker === 0xd9 || marker === 0xda || view.getUint16(at + 2) < 2) return undefined;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

// A decoder makes the picture as large as the first frame if that is larger than the whole.
function gifSize(bytes, view) {
  const table = (flags) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  for (let at = 13 + table(bytes[10]); at + 10 < bytes.length;) {
    if (bytes[at] === 0x2c) {
      const edge = (from, size) => view.getUint16(at + from, true) + view.getUint16(at + size, true);
      return { width: Math.max(view.getUint16(6, true), edge(1, 5)), height: Math.max(view.getUint16(8, true), edge(3, 7)) };
    }
    if (bytes[at] !== 0x21) return undefined;
    for (at += 2; bytes[at] > 0;) at += 1 + bytes[at];
    ++at;
  }
  return undefined;
}

function webpSize(bytes, view) {
  const form = String.fromCharCode(...bytes.slice(12, 16));
  if (form === "VP8X") return { width: 1 + (view.getUint32(24, true) & 0xffffff), height: 1 + (view.getUint32(27, true) & 0xffffff) };
  if (form === "VP8L") return { width: 1 + (view.getUint32(21, true) & 0x3fff), height: 1 + ((view.getUint32(21, true) >>> 14) & 0x3fff) };
  if (form === "VP8 ") return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  return undefined;
}

// {type, width, height} of the four kinds of pictures, by what is in them and not by their names; undefined for all else.
export function pictureOf(bytes) {
  if (bytes.length < 32) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const picture = (type, size) => (size?.width > 0 && size.height > 0 ? { type, ...size } : undefined);
  if (starts(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) && ascii(bytes, 12, "IHDR")) return picture("image/png", { width: view.getUint32(16), height: view.getUint32(20) });
  if (starts(bytes, 0xff, 0xd8, 0xff)) return picture("image/jpeg", jpegSize(bytes, view));
  if (ascii(bytes, 0, "GIF8")) return picture("image/gif", gifSize(bytes, view));
  if (ascii(bytes, 0, "RIFF") && ascii(bytes, 8, "WEBP")) return picture("image/webp", webpSize(bytes, view));
  return undefined;
}

// Rows of a CSV, with quotes and line breaks within them; at most so many.
export function parseTable(text, comma = ",") {
  const rows = [[""]];
  let quoted = false;
  const cut = () => rows.length > MOST_ROWS;
  for (let i = 0; i < text.length && !cut(); ++i) {
    const character = text[i];
    const row = rows.at(-1);
    if (quoted) {
      if (character !== '"') row[row.length - 1] += character;
      else if (text[i + 1] === '"') row[row.length - 1] += text[i++];
      else quoted = false;
    } else if (character === '"' && row.at(-1) === "") quoted = true;
    else if (character === comma) row.push("");
    else if (character === "\n") { if (row.length > 1 || row[0] !== "") rows.push([""]); }
    else if (character !== "\r") row[row.length - 1] += character;
  }
  const whole = rows.filter((row) => row.length > 1 || row[0] !== "");
  return { rows: whole.slice(0, MOST_ROWS).map((row) => row.slice(0, MOST_COLUMNS)), more: whole.length > MOST_ROWS || whole.some((row) => row.length > MOST_COLUMNS) };
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{]\s*[\]}]|[[{\]},:]|[^\s"[{\]},:]+/g;

// Laid out if it is JSON, as it is if not, or if nothing but its depth would be seen. Each word stays as it is written: read
// as numbers, long ids would become others, and of two values with one name only one would be seen.
export function prettyJson(text) {
  if (!isJson(text)) return text;
  const most = 8 * text.length + 1000;
  const out = [];
  let depth = 0;
  let size = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "]" || token === "}") --depth;
    else if (token === "[" || token === "{") ++depth;
    if (size + 2 * depth > most) return text;
    const laid = token === "[" || token === "{" || token === "," ? token + line() : token === "]" || token === "}" ? line() + token
      : token === ":" ? ": " : /^[[{]/.test(token) ? token[0] + token.at(-1) : token;
    size += laid.length;
    out.push(laid);
  }
  return size > most ? text : out.join("");
}

// Bytes that are no text would be a page of marks.
export const isText = (text) => !text.includes("\u0000") && (text.match(/\ufffd/g) ?? []).length * 20 <= text.length;
