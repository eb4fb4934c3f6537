// Numbers and times as people read them. Pure.

export const PHASES = ["Pending", "Scheduled", "Preparing", "Running", "Succeeded", "Failed", "Canceled"];
export const ENDED = ["Succeeded", "Failed", "Canceled"];
export const hasEnded = (phase) => ENDED.includes(phase);

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function bytes(count) {
  if (!Number.isFinite(count)) return "–";
  let at = 0;
  let value = count;
  while (Math.abs(value) >= 1024 && at < BYTES.length - 1) {
    value /= 1024;
    ++at;
  }
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1).replace(/\.0$/, "")} ${BYTES[at]}`;
}

const SCALES = {
  "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50,
};

// "2Gi" or 2147483648 -> bytes; undefined for what is no quantity.
export function parseQuantity(value) {
  if (typeof value === "number") return value;
  const match = /^(\d+(?:\.\d+)?)([kMGTP]i?|Ki)?$/.exec(String(value ?? ""));
  return match ? Number(match[1]) * SCALES[match[2] ?? ""] : undefined;
}

const UNITS = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1000]];

// 187000 -> "3m7s": the two largest units that say something.
export function duration(ms) {
  if (!Number.isFinite(ms) || ms < 0) return "0s";
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1).replace(/\.0$/, "")}s`;
  const first = UNITS.findIndex(([, size]) => ms >= size);
  const [name, size] = UNITS[first];
  const whole = Math.floor(ms / size);
  const next = UNITS[first + 1];
  const rest = next ? Math.floor((ms - whole * size) / next[1]) : 0;
  return `${whole}${name}${rest ? `${rest}${next[0]}` : ""}`;
}

// How long ago, without fractions: ages of a list tick once a second.
export function age(since, now) {
  const ms = Math.max(0, now - since);
  return ms < 1000 ? "0s" : duration(ms < 10_000 ? Math.floor(ms / 1000) * 1000 : ms);
}

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

// "2m5s" -> 125000; undefined for what is none.
export function parseDuration(text) {
  const whole = String(text ?? "");
  if (!/^(\d+(ms|[smhd]))+$/.test(whole)) return undefined;
  let sum = 0;
  for (const [, count, unit] of whole.matchAll(/(\d+)(ms|[smhd])/g)) sum += Number(count) * UNIT_MS[unit];
  return sum;
}

export function time(text) {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

const two = (number) => String(number).padStart(2, "0");

// In the reader's own time zone, sortable, the same everywhere.
export function clock(ms) {
  if (ms === undefined) return "–";
  const at = new Date(ms);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

export function percent(part, whole) {
  return whole > 0 ? `${Math.round((100 * part) / whole)} %` : "–";
}

// `enforced` in the order in which it is read: what is not in force first, then by name.
export function sortEnforced(enforced) {
  return Object.entries(enforced ?? {}).sort(
    ([nameA, a], [nameB, b]) => Number(Boolean(a.applied)) - Number(Boolean(b.applied)) || nameA.localeCompare(nameB));
}

// What was asked for, in a few words.
export function requested(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === null || value === undefined || value === "") return "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
