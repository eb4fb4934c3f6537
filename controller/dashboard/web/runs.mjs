// All runs, as they are now.
import { note } from "./address.mjs";
import { collection, may, session } from "./api.mjs";
import { fill, h, setText } from "./dom.mjs";
import { count } from "./format.mjs";
import { eachFrame, liveList } from "./live.mjs";
import { bulkBar } from "./run_bulk.mjs";
import { openRunForm } from "./run_form.mjs";
import { CHOICES, SINCE, chosenOf, fits, matches, queryOf, sorted } from "./run_list.mjs";
import { Selection } from "./run_selection.mjs";
import { runTable } from "./run_table.mjs";
import { visible } from "./text.mjs";
import { command, empty, heading, problem, skeleton, words } from "./ui.mjs";

const AT_ONCE = 100;

function phaseChips(chosen, changed) {
  const chips = new Map(CHOICES.map((choice) => {
    const number = h("span", { class: "chip-count" }, "");
    const button = h("button", { type: "button", class: "chip", on: { click: () => { chosen.phase = choice; changed(); } } }, choice, number);
    return [choice, { button, number }];
  }));
  const update = (rows) => {
    for (const [choice, { button, number }] of chips) {
      setText(number, String(rows.filter((row) => fits(row, choice)).length));
      button.setAttribute("aria-pressed", String(chosen.phase === choice));
    }
  };
  update([]);
  return { element: h("div", { class: "chips", role: "group", "aria-label": "Phase" }, [...chips.values()].map(({ button }) => button)), update };
}

function namespaceMenu(chosen, changed) {
  const element = h("select", { "aria-label": "Namespace", hidden: true });
  element.addEventListener("change", () => { chosen.namespace = element.value; changed(); });
  let known;
  const update = (namespaces) => {
    element.hidden = Boolean(session.namespace) || (namespaces.length < 2 && !chosen.namespace);
    const all = [...new Set([...namespaces, chosen.namespace].filter(Boolean))].sort();
    const names = all.join("\n");
    if (names !== known) fill(element, h("option", { value: "" }, "All namespaces"), all.map((each) => h("option", { value: each }, visible(each))));
    known = names;
    element.value = chosen.namespace;
  };
  return { element, update };
}

function sinceMenu(chosen, changed) {
  const element = h("select", { "aria-label": "Created" }, SINCE.map(([value, word]) => h("option", { value }, word)));
  element.addEventListener("change", () => { chosen.since = element.value; changed(); });
  return { element, update: () => { element.value = chosen.since; } };
}

function filterBar(chosen, changed) {
  const search = h("input", { type: "search", placeholder: "Filter: name, command, node, reason, label=value", "aria-label": "Filter runs" });
  search.value = chosen.text;
  search.addEventListener("input", () => { chosen.text = search.value.trim(); changed(); });
  const namespace = namespaceMenu(chosen, changed);
  const chips = phaseChips(chosen, changed);
  const since = sinceMenu(chosen, changed);
  const update = (rows, namespaces) => {
    since.update();
    chips.update(rows);
    namespace.update(namespaces);
    if (search !== document.activeElement) search.value = chosen.text;
  };
  return { bar: h("div", { class: "filters" }, chips.element, namespace.element, since.element, search), update };
}

const nothingYet = () => empty("No runs yet",
  h("p", {}, "A run that anybody starts appears here by itself. Start one from a project's folder:"),
  command("paddock compute . \"python3 job.py\" --artifact-dir out/"));

const nothingFits = (clear) => empty("No run matches", h("p", {}, "Choose another phase, or clear the filter."),
  h("button", { type: "button", on: { click: clear } }, "Show all runs"));

function footText(wanted, most, more) {
  return h("span", { class: "faint" }, wanted > most ? `${most} of ${count(wanted, "run")}` : wanted ? count(wanted, "run") : "",
    more && words(" · more exist than this page reads; `paddock get runs` lists all"));
}

// The rows that fit what is chosen, with the bar to choose: `show(all, more)` whenever there are others.
function chosenRuns(query, signal) {
  const chosen = chosenOf(query);
  let all;
  let more = false;
  let most = AT_ONCE;
  const selection = new Selection();
  const choose = (uids, isChosen) => { selection.set(uids, isChosen); draw(); };
  const table = runTable("Runs", may("runs:write") && { has: (uid) => selection.has(uid), set: choose });
  const bulk = bulkBar({ signal, choose });
  const state = h("div");
  const foot = h("div", { class: "foot" });

  const drawFoot = (wanted) => fill(foot, footText(wanted.length, most, more),
    wanted.length > most && h("button", { type: "button", on: { click: () => { most += AT_ONCE; draw(); } } }, "Show more"));
  const draw = eachFrame(() => {
    if (signal.aborted) return;
    note(["runs"], queryOf(chosen));
    if (!all) return;
    const every = [...all.values()];
    const namespaces = [...new Set(every.map((row) => row.metadata.namespace))].sort();
    const matching = every.filter((row) => matches(row, chosen));
    filters.update(matching, namespaces);
    const wanted = sorted(matching.filter((row) => fits(row, chosen.phase)), chosen.sort);
    const shown = wanted.slice(0, most);
    bulk.show(selection.among(wanted), shown);
    table.show(shown, { spaces: namespaces.length > 1, sort: chosen.sort, choose: (sort) => { chosen.sort = sort; draw(); } });
    if (wanted.length > 0) fill(state);
    else fill(state, every.length === 0 ? nothingYet() : nothingFits(clear));
    drawFoot(wanted);
  });
  const filters = filterBar(chosen, draw);
  const clear = () => {
    Object.assign(chosen, { phase: "All", text: "", namespace: "", since: "" });
    draw();
  };

  fill(state, skeleton(8));
  table.box.hidden = true;
  draw();
  const show = (items, isMore) => {
    [all, more] = [items, isMore];
    draw();
  };
  return { bar: filters.bar, elements: [table.box, bulk.element, state, foot], show, refused: () => fill(state) };
}

export function runs(main, { query, signal, tell }) {
  const trouble = h("div", { "aria-live": "polite" });
  const list = chosenRuns(query, signal);
  const start = may("runs:write") && h("button", { type: "button", class: "primary", on: { click: () => openRunForm({ signal }) } }, "New run");
  fill(main, heading("Runs", start && h("div", { class: "head-actions" }, start)), list.bar, trouble, list.elements);
  liveList(collection("runs"), {
    form: "table", signal, changed: list.show,
    tell: (to, error) => {
      tell(to);
      fill(trouble, error && problem(error));
      if (to === "refused") list.refused();
    },
  });
}
