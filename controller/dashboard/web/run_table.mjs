// Runs as rows of a table: the list of all, and those of a node.
import { fill, h, order } from "./dom.mjs";
import { age, hasEnded, parseDuration } from "./format.mjs";
import { cellText, nextSort, whyText } from "./run_list.mjs";
import { brief, visible } from "./text.mjs";
import { ago, badge } from "./ui.mjs";

const COLUMNS = [["Status", "status"], ["Run", "name"], ["Command"], ["Node", "node"], ["Duration", "duration"], ["Age", "age"]];
const numeric = (i) => (i > 3 ? "number" : undefined);

// While it runs the server's last word goes on ticking.
function durationCell(row) {
  const ms = parseDuration(row.cells.Duration);
  if (ms === undefined) return h("span", { class: "faint" }, "–");
  if (hasEnded(row.cells.Phase)) return age(0, ms);
  return h("span", { data: { since: row.receivedAt - ms } }, age(row.receivedAt - ms, Date.now()));
}

export const runLink = (namespace, name, attributes = {}) =>
  h("a", { ...attributes, href: `#/runs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}` }, visible(name));

// Beside the status, which every size of screen shows: `select` is {has(uid), set(uids, chosen)}.
function checkbox(uids, label, select) {
  const box = h("input", { type: "checkbox", class: "choose", "aria-label": label });
  box.addEventListener("change", () => select.set(uids(), box.checked));
  return box;
}

function statusCell(row, select) {
  const reason = whyText(row.cells);
  const whole = [cellText(row.cells.Reason), cellText(row.cells.Message)].filter(Boolean).join(": ");
  return h("div", { class: "status" }, select && checkbox(() => [row.metadata.uid], `Select ${visible(row.metadata.name)}`, select), badge(row.cells.Phase), reason && h("span", { class: "reason", title: brief(whole, 600) }, brief(reason, 60)));
}

function runRow(row, spaces, select) {
  const { name, namespace, creationTimestamp } = row.metadata;
  const command = cellText(row.cells.Command);
  const cells = [
    statusCell(row, select),
    [runLink(namespace, name, { class: "row-link" }), spaces && h("span", { class: "namespace" }, visible(namespace))],
    h("code", { class: "clip", title: visible(command).slice(0, 2000) }, brief(command, 160)),
    cellText(row.cells.Node) ? h("span", { class: "clip", title: visible(row.cells.Node) }, visible(row.cells.Node)) : h("span", { class: "faint" }, "–"),
    durationCell(row),
    ago(creationTimestamp),
  ];
  return h("tr", {}, cells.map((cell, i) => h("td", { data: { label: COLUMNS[i][0] }, class: numeric(i) }, cell)));
}

function header([name, key], i, sort, choose, before) {
  const turned = sort === `-${key}`;
  const now = key && (sort === key || turned);
  return h("th", { scope: "col", class: numeric(i), "aria-sort": now ? (turned ? "descending" : "ascending") : undefined },
    before, key && choose ? h("button", { type: "button", class: "sort", on: { click: () => choose(nextSort(sort, key)) } }, name, h("span", { class: "sort-mark", "aria-hidden": "true" }, now ? (turned ? "↑" : "↓") : "")) : name);
}

// `show(rows, {spaces, sort, choose})`; a row's element is made anew only when the run is another or has changed.
export function runTable(label, select) {
  const known = new Map();  // by uid
  const head = h("tr");
  const body = h("tbody");
  const box = h("div", { class: "table-box" }, h("table", { class: "runs", "aria-label": label }, h("thead", {}, head), body));
  let headed = "";
  let shown = [];
  const every = select && checkbox(() => shown, "Select all shown", select);
  const elementOf = (row, spaces) => {
    const { uid, resourceVersion } = row.metadata;
    const version = `${resourceVersion} ${spaces}`;
    const before = known.get(uid);
    if (before?.version === version) return before.element;
    const element = runRow(row, spaces, select);
    const focused = before?.element.contains(document.activeElement) && document.activeElement.localName;
    if (focused) queueMicrotask(() => element.querySelector(focused)?.focus({ preventScroll: true }));
    known.set(uid, { version, element });
    return element;
  };
  const drawChosen = (rows) => {
    shown = rows.map(({ metadata }) => metadata.uid);
    for (const uid of shown) known.get(uid).element.querySelector("input.choose").checked = select.has(uid);
    const chosen = shown.filter((uid) => select.has(uid)).length;
    every.checked = chosen > 0 && chosen === shown.length;
    every.indeterminate = chosen > 0 && chosen < shown.length;
  };
  const show = (rows, { spaces = false, sort = "", choose } = {}) => {
    if (headed !== sort || !head.firstChild) {
      const at = [...head.children].findIndex((cell) => cell.contains(document.activeElement));
      fill(head, COLUMNS.map((column, i) => header(column, i, sort, choose, i === 0 && every)));
      head.children[at]?.querySelector("button")?.focus({ preventScroll: true });
      headed = sort;
    }
    const elements = rows.map((row) => elementOf(row, spaces));
    const kept = new Set(elements);
    for (const [uid, { element }] of known) if (!kept.has(element)) known.delete(uid);
    order(body, elements);
    if (select) drawChosen(rows);
    box.hidden = rows.length === 0;
  };
  return { box, show };
}
