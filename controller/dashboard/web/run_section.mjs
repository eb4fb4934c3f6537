// The runs of something, the newest first: of a node, of a workspace.
import { address } from "./address.mjs";
import { collection } from "./api.mjs";
import { fill, h } from "./dom.mjs";
import { count } from "./format.mjs";
import { eachFrame, liveList } from "./live.mjs";
import { sorted } from "./run_list.mjs";
import { runTable } from "./run_table.mjs";
import { problem, section } from "./ui.mjs";

const MOST = 50;

// `search` finds them on the page of all runs; `changed(rows)` hears of every change.
export function runSection({ title, selector, namespace, search, signal, changed = () => {}, refused = () => {} }) {
  const table = runTable(title);
  const foot = h("p", { class: "foot faint" });
  let all = new Map();
  const draw = eachFrame(() => {
    const rows = sorted([...all.values()], "age");
    changed(rows);
    table.show(rows.slice(0, MOST), { spaces: new Set(rows.map((row) => row.metadata.namespace)).size > 1 });
    fill(foot, rows.length === 0 ? "None yet." : rows.length > MOST ? [`The newest ${MOST} of `, h("a", { href: address(["runs"], { q: search }) }, count(rows.length, "run"))] : count(rows.length, "run"));
  });
  table.box.hidden = true;
  liveList(collection("runs", namespace), {
    form: "table", query: { fieldSelector: selector }, signal,
    changed: (items) => { all = items; draw(); },
    tell: (to, error) => { if (to === "refused") { refused(); fill(foot, problem(error)); } },
  });
  return section(title, { id: "runs" }, table.box, foot);
}
