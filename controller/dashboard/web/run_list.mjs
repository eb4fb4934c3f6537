// Which runs of a list are shown, and in which order. Pure; a row is {metadata, cells by column}.
import { hasEnded, parseDuration, time } from "./format.mjs";

export const CHOICES = ["All", "Active", "Succeeded", "Failed", "Canceled"];
export const SORTS = ["age", "name", "duration", "node", "status"];

// How long ago a run was created at most, as the address and the menu have it.
export const SINCE = [["", "Any time"], ["1h", "Last hour"], ["1d", "Last day"], ["7d", "Last 7 days"]];

export const cellText = (cell) => (cell === "<none>" || cell === "<unknown>" ? "" : String(cell ?? ""));
export const labelTexts = (metadata) => Object.entries(metadata.labels ?? {}).map(([key, value]) => (value ? `${key}=${value}` : key));

// Beside the phase: why it is in it, where that says more. For a command that failed, the exit code is what one looks
// for.
export function whyText({ Phase, Reason, RC }) {
  if (["Succeeded", "Canceled"].includes(Phase)) return "";
  return Reason === "NonZeroExit" && cellText(RC) ? `exit code ${cellText(RC)}` : cellText(Reason);
}

export function fits(row, choice) {
  const phase = row.cells.Phase;
  if (choice === "All") return true;
  return choice === "Active" ? !hasEnded(phase) : phase === choice;
}

const youngEnough = ({ creationTimestamp }, since, now) => now - (time(creationTimestamp) ?? now) <= parseDuration(since);

// Each word has to be somewhere: in the name, the command, the node, the reason, the exit code or a label.
export function matches(row, { text = "", namespace = "", since = "" }, now = Date.now()) {
  if (namespace && row.metadata.namespace !== namespace) return false;
  if (since && !youngEnough(row.metadata, since, now)) return false;
  const { Command, Node, Reason, RC } = row.cells;
  const hay = [row.metadata.name, Command, Node, Reason, `rc=${cellText(RC)}`, ...labelTexts(row.metadata)].map((each) => cellText(each).toLowerCase());
  return text.toLowerCase().split(/\s+/).every((word) => hay.some((each) => each.includes(word)));
}

const byName = (a, b) => a.metadata.name.localeCompare(b.metadata.name);
const newest = (a, b) => (time(b.metadata.creationTimestamp) ?? 0) - (time(a.metadata.creationTimestamp) ?? 0) || byName(a, b);
const by = (value) => (a, b) => value(a).localeCompare(value(b)) || newest(a, b);

// The longest, the newest and otherwise the first of the alphabet come first.
const ORDERS = {
  age: newest,
  name: byName,
  duration: (a, b) => (parseDuration(b.cells.Duration) ?? -1) - (parseDuration(a.cells.Duration) ?? -1) || newest(a, b),
  node: by((row) => cellText(row.cells.Node)),
  status: by((row) => cellText(row.cells.Phase)),
};

export function sorted(rows, sort) {
  const back = sort.startsWith("-");
  const order = ORDERS[back ? sort.slice(1) : sort] ?? newest;
  return [...rows].sort(back ? (a, b) => order(b, a) : order);
}

// A second choice of the same column turns it around.
export const nextSort = (now, column) => (now === column ? `-${column}` : column);

// What an address asks for; whatever it says besides is not heeded.
export function chosenOf(query) {
  const sort = query.get("sort") ?? "";
  const phase = query.get("phase") ?? "";
  const since = query.get("since") ?? "";
  return {
    phase: CHOICES.includes(phase) ? phase : "All", text: query.get("q") ?? "", namespace: query.get("ns") ?? "",
    since: SINCE.some(([each]) => each === since) ? since : "",
    sort: SORTS.includes(sort.replace(/^-/, "")) ? sort : "age",
  };
}

export const queryOf = ({ phase, text, namespace, since, sort }) => ({ phase: phase === "All" ? "" : phase, q: text, ns: namespace, since, sort: sort === "age" ? "" : sort });
