// What an event of the audit log says, in the order in which one reads it. Pure.

const LINKS = { runs: "runs", sandboxes: "sessions", workspaces: "storage/workspaces", volumes: "storage/volumes" };

// Where its object is shown, as words of an address; none if it is shown nowhere.
export function placeOf({ object = "", namespace = "" }) {
  const [plural, name, ...rest] = String(object).split("/");
  if (!name || rest.length > 0) return undefined;
  if (plural === "nodes") return ["nodes", name];
  return Object.hasOwn(LINKS, plural) && namespace ? [...LINKS[plural].split("/"), namespace, name] : undefined;
}

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const FIRST = ["for", "command", "status", "rc", "durationMs", "values", "scopes", "path", "files", "bytes"];
const DIGEST = /^[0-9a-f]{64}$/;

// As much of a digest as tells it from others; the whole one is for who points at it.
export const shortDigest = (value) => (DIGEST.test(value) ? `${value.slice(0, 12)}…` : value);

// A denial is a sentence; everything else is pairs, those first that one looks for first. The token is in the list's own
// column only by its subject: its id is told last,
// and digests before it.
export function saidOf({ type, details = {} }) {
  const { what, target, executable, rule, count, ...rest } = details;
  const pairs = Object.entries(type === "capability.denied" ? rest : details).map(([name, value]) => [name, text(value)]);
  const rank = ([name, value]) => (name === "token" ? 100 : DIGEST.test(value) ? 90 : FIRST.includes(name) ? FIRST.indexOf(name) : 50);
  pairs.sort((a, b) => rank(a) - rank(b) || a[0].localeCompare(b[0]));
  if (type !== "capability.denied") return { sentence: "", pairs };
  const sentence = [what, target, executable && `by ${executable}`].filter(Boolean).map(text).join(" ");
  const times = Number(count) > 1 ? `, ${text(count)} times` : "";
  return { sentence: `${sentence}${times}${rule ? `: ${text(rule)}` : ""}`, pairs };
}
