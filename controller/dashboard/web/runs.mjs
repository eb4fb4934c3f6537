// All runs, as they are now.
import { collection, session } from "./api.mjs";
import { fill, h, order, setText } from "./dom.mjs";
import { age, count, hasEnded, parseDuration, time } from "./format.mjs";
import { eachFrame, liveList } from "./live.mjs";
import { brief, visible } from "./text.mjs";
import { ago, badge, command, empty, heading, problem, skeleton, words } from "./ui.mjs";

const AT_ONCE = 100;
const CHOICES = ["All", "Active", "Succeeded", "Failed", "Canceled"];
const COLUMNS = ["Status", "Run", "Command", "Node", "Duration", "Age"];

// What is chosen outlives a look at one run, not the page.
const chosen = { phase: "All", text: "", namespace: "" };

function fits(row, choice) {
  const phase = row.cells.Phase;
  if (choice === "All") return true;
  return choice === "Active" ? !hasEnded(phase) : phase === choice;
}

function matches(row) {
  if (chosen.namespace && row.metadata.namespace !== chosen.namespace) return false;
  const text = chosen.text.toLowerCase();
  return !text || [row.metadata.name, row.cells.Command, row.cells.Node, row.cells.Reason].some((cell) => String(cell).toLowerCase().includes(text));
}

const newest = (a, b) => (time(b.metadata.creationTimestamp) ?? 0) - (time(a.metadata.creationTimestamp) ?? 0) || a.metadata.name.localeCompare(b.metadata.name);
const word = (cell) => (cell === "<none>" || cell === "<unknown>" ? "" : String(cell ?? ""));

// While it runs the server's last word goes on ticking.
function durationCell(row) {
  const ms = parseDuration(row.cells.Duration);
  if (ms === undefined) return h("span", { class: "faint" }, "–");
  if (hasEnded(row.cells.Phase)) return age(0, ms);
  return h("span", { data: { since: row.receivedAt - ms } }, age(row.receivedAt - ms, Date.now()));
}

function runRow(row) {
  const { name, namespace, creationTimestamp } = row.metadata;
  const reason = ["Succeeded", "Canceled"].includes(row.cells.Phase) ? "" : word(row.cells.Reason);
  const cells = [
    [badge(row.cells.Phase), reason && h("span", { class: "reason" }, brief(reason, 40))],
    [h("a", { class: "row-link", href: `#/runs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}` }, visible(name)),
      h("span", { class: "namespace" }, visible(namespace))],
    h("code", { class: "clip", title: visible(word(row.cells.Command)).slice(0, 2000) }, brief(word(row.cells.Command), 160)),
    word(row.cells.Node) ? visible(row.cells.Node) : h("span", { class: "faint" }, "–"),
    durationCell(row),
    ago(creationTimestamp),
  ];
  return h("tr", {}, cells.map((cell, i) => h("td", { data: { label: COLUMNS[i] }, class: i > 3 ? "number" : undefined }, cell)));
}

function filterBar(changed) {
  const search = h("input", { type: "search", placeholder: "Filter by name, command, node, reason", "aria-label": "Filter runs", value: chosen.text });
  search.addEventListener("input", () => {
    chosen.text = search.value.trim();
    changed();
  });
  const namespace = h("select", { "aria-label": "Namespace", hidden: true });
  namespace.addEventListener("change", () => {
    chosen.namespace = namespace.value;
    changed();
  });
  const chips = new Map(CHOICES.map((choice) => {
    const number = h("span", { class: "chip-count" }, "");
    const button = h("button", { type: "button", class: "chip", "aria-pressed": String(chosen.phase === choice) }, choice, number);
    button.addEventListener("click", () => {
      chosen.phase = choice;
      changed();
    });
    return [choice, { button, number }];
  }));
  const bar = h("div", { class: "filters" }, h("div", { class: "chips", role: "group", "aria-label": "Phase" },
    [...chips.values()].map(({ button }) => button)), namespace, search);
  let known = "";
  const update = (rows, namespaces) => {
    for (const [choice, { button, number }] of chips) {
      setText(number, String(rows.filter((row) => fits(row, choice)).length));
      button.setAttribute("aria-pressed", String(chosen.phase === choice));
    }
    const names = namespaces.join("\n");
    namespace.hidden = Boolean(session.namespace) || namespaces.length < 2;
    if (names === known) return;
    known = names;
    fill(namespace, h("option", { value: "" }, "All namespaces"), namespaces.map((each) => h("option", { value: each }, visible(each))));
    namespace.value = namespaces.includes(chosen.namespace) ? chosen.namespace : "";
    chosen.namespace = namespace.value;
  };
  return { bar, update };
}

const nothingYet = () => empty("No runs yet",
  h("p", {}, "A run that anybody starts appears here by itself. Start one from a project's folder:"),
  command("paddock compute . \"python3 job.py\" --artifact-dir out/"));

export function runs(main, { signal, tell }) {
  let all;
  let more = false;
  let most = AT_ONCE;
  const rows = new Map();  // by uid: what is shown, and for which version
  const body = h("tbody");
  const shown = h("div", { class: "table-box" }, h("table", { class: "runs", "aria-label": "Runs" },
    h("thead", {}, h("tr", {}, COLUMNS.map((name, i) => h("th", { scope: "col", class: i > 3 ? "number" : undefined }, name)))), body));
  const state = h("div");
  const foot = h("div", { class: "foot" });
  const trouble = h("div", { "aria-live": "polite" });

  const draw = eachFrame(() => {
    if (signal.aborted || !all) return;
    const every = [...all.values()];
    const matching = every.filter(matches);
    filters.update(matching, [...new Set(every.map((row) => row.metadata.namespace))].sort());
    const wanted = matching.filter((row) => fits(row, chosen.phase)).sort(newest);
    const visibleRows = wanted.slice(0, most).map((row) => {
      const { uid, resourceVersion } = row.metadata;
      const known = rows.get(uid);
      if (known?.version === resourceVersion) return known.element;
      const element = runRow(row);
      if (known?.element.contains(document.activeElement)) queueMicrotask(() => element.querySelector("a").focus({ preventScroll: true }));
      rows.set(uid, { version: resourceVersion, element });
      return element;
    });
    for (const [uid, { element }] of rows) if (!visibleRows.includes(element)) rows.delete(uid);
    order(body, visibleRows);
    shown.hidden = wanted.length === 0;
    if (wanted.length > 0) fill(state);
    else fill(state, every.length === 0 ? nothingYet() : empty("No run matches", h("p", {}, "Choose another phase, or clear the filter."),
      h("button", { type: "button", on: { click: clear } }, "Show all runs")));
    fill(foot, h("span", { class: "faint" }, wanted.length > most ? `${most} of ${count(wanted.length, "run")}` : wanted.length ? count(wanted.length, "run") : "",
      more && words(" · more exist than this page reads; `paddock get runs` lists all")),
      wanted.length > most && h("button", { type: "button", on: { click: () => { most += AT_ONCE; draw(); } } }, "Show more"));
  });
  const filters = filterBar(draw);
  const clear = () => {
    Object.assign(chosen, { phase: "All", text: "", namespace: "" });
    const search = main.querySelector("input[type=search]");
    if (search) search.value = "";
    draw();
  };

  fill(state, skeleton(8));
  shown.hidden = true;
  fill(main, heading("Runs"), filters.bar, trouble, shown, state, foot);
  liveList(collection("runs"), {
    form: "table", signal,
    changed: (items, isMore) => {
      all = items;
      more = isMore;
      draw();
    },
    tell: (to, error) => {
      tell(to);
      fill(trouble, error && problem(error));
      if (to === "refused") fill(state);
    },
  });
}

