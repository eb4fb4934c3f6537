// A ZIP file without compression, of files in memory. Pure. Names that would lead out of the folder in which somebody
// unpacks it are made harmless.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; ++bit) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// What Windows has no names with, what no terminal should see, and what turns a name around ("exe.txt" that ends in exe).
const CONTROL = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029<>:"|?*\\]/gu;
// What Windows cuts off, so that ".. " is "..", and what is a device there, with any ending.
const CUT = /[. ]+$/;
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(\.|$))/i;

// A relative path of plain parts: no "..", no root, no drive.
export function harmless(path) {
  const plain = (part) => part.replace(CONTROL, "_").replace(CUT, (cut) => "_".repeat(cut.length)).replace(DEVICE, "_$1");
  const parts = String(path).toWellFormed().split("/").filter((part) => part !== "" && part !== ".").map(plain);
  return parts.join("/") || "_";
}

function numbers(...pairs) {
  const bytes = new Uint8Array(pairs.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of pairs) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

const UTF8 = 0x0800;
const DOS_DATE = 0x21;  // 1980-01-01: the API tells no times of files

// The fields that both headers of a file share.
const common = ({ crc, size, name }) => [[2, 20], [2, UTF8], [2, 0], [2, 0], [2, DOS_DATE], [4, crc], [4, size], [4, size], [2, name.length], [2, 0]];

// The same name twice would be one file, where letters have no case too: the second gets a number. `taken` has the next
// number of each, since a run can leave ten thousand names that are one here.
function unique(name, taken) {
  const key = (text) => text.normalize("NFC").toLowerCase();
  let now = name;
  let next = taken.get(key(name)) ?? 1;
  while (taken.has(key(now))) now = `${name}.${++next}`;
  if (next > 1) taken.set(key(name), next);
  taken.set(key(now), 1);
  return now;
}

// files: [{path, bytes: Uint8Array}] -> parts of a Blob.
export function zip(files) {
  const taken = new Map();
  const parts = [];
  const directory = [];
  let at = 0;
  for (const { path, bytes } of files) {
    const name = new TextEncoder().encode(unique(harmless(path), taken));
    const entry = { crc: crc32(bytes), size: bytes.length, name };
    const header = numbers([4, 0x04034b50], ...common(entry));
    directory.push(numbers([4, 0x02014b50], [2, 20], ...common(entry), [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), name);
    parts.push(header, name, bytes);
    at += header.length + name.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  return [...parts, ...directory, numbers([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0])];
}
