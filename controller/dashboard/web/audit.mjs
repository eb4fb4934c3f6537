// What happened, and who did it: the newest first, new events by themselves.
import { address } from "./address.mjs";
import { auditPath, get, withQuery } from "./api.mjs";
import { TYPES } from "./audit_types.mjs";
import { placeOf, saidOf, shortDigest } from "./audit_words.mjs";
import { fill, h, order } from "./dom.mjs";
import { clock, count, time } from "./format.mjs";
import { keepTrying, sleep } from "./live.mjs";
import { brief, visible } from "./text.mjs";
import { badge, empty, heading, problem, skeleton } from "./ui.mjs";

const FIRST = 500;
const MOST = 2000;
const EVERY_MS = 3000;
const COLUMNS = ["Time", "Event", "Who", "What", "Details"];

function toneOf({ type, details }) {
  if (type === "command.complete") return details?.status === "OK" ? "good" : "bad";
  if (/denied|lost|refused|failed/.test(type)) return "bad";
  if (/timeout|exceeded|cancel|delete|drain|cordon|taint|revoke|leave/.test(type)) return "warn";
  return "info";
}

function objectLink(event) {
  const place = placeOf(event);
  const text = visible(event.object ?? "");
  return place ? h("a", { href: address(place) }, text) : text;
}

// One line of each; all of it for who points at it.
function detailsOf(event) {
  const { sentence, pairs } = saidOf(event);
  const short = (value) => brief(shortDigest(value), 80);
  const shown = (name, value) => h("span", { class: "pair", title: value !== short(value) ? brief(value, 1000) : undefined }, h("span", { class: "faint" }, `${visible(name)} `), short(value));
  return h("div", { class: "details" }, event.reason && h("code", {}, visible(event.reason)), sentence && h("span", {}, brief(sentence, 200)), pairs.map(([name, value]) => shown(name, value)));
}

function row(event) {
  const cells = [h("time", { datetime: event.time }, clock(time(event.time))), badge(event.type, toneOf(event)), visible(event.subject ?? ""),
    [objectLink(event), event.namespace && h("span", { class: "namespace" }, visible(event.namespace))], detailsOf(event)];
  return h("tr", {}, cells.map((cell, i) => h("td", { data: { label: COLUMNS[i] } }, cell)));
}

// What is chosen is in the address: each choice is a page of its own.
function filterBar(wanted) {
  const type = h("select", { "aria-label": "Type of event" }, h("option", { value: "" }, "All events"), TYPES.map((each) => h("option", { value: each }, each)));
  type.value = TYPES.includes(wanted.type) ? wanted.type : "";
  const subject = h("input", { type: "search", placeholder: "Subject, whole: admin, node:a, …", "aria-label": "Subject", value: wanted.subject });
  const go = (more) => { location.hash = address(["audit"], { ...wanted, type: type.value, subject: subject.value.trim(), ...more }); };
  const again = () => go({});
  // From the page of a session: one sees it, and can let go of it.
  const one = wanted.session && h("button", { type: "button", class: "chip", "aria-pressed": "true", title: `Of ${visible(wanted.session)}; show all`, on: { click: () => go({ session: "" }) } }, "Of one run or session ✕");
  type.addEventListener("change", again);
  subject.addEventListener("change", again);
  return h("div", { class: "filters" }, type, subject, one);
}

function none(filtered) {
  return empty("No such event", h("p", {}, filtered ? "Nothing matches what you chose; new events appear by themselves." : "Whatever happens from now on appears here."),
    filtered && h("p", {}, h("a", { href: "#/audit" }, "Show all events")));
}

// The newest events; `take(list)` adds those of an answer.
function eventTable(filtered) {
  const rows = new Map();
  const body = h("tbody");
  const box = h("div", { class: "table-box" }, h("table", { class: "audit", "aria-label": "Audit log" }, h("thead", {}, h("tr", {}, COLUMNS.map((name) => h("th", { scope: "col" }, name)))), body));
  const state = h("div", {}, skeleton(8));
  const foot = h("div", { class: "foot" });
  box.hidden = true;
  const take = ({ items }) => {
    for (const event of items) rows.set(event.id, rows.get(event.id) ?? row(event));
    const ids = [...rows.keys()].sort((a, b) => b - a);
    for (const id of ids.slice(MOST)) rows.delete(id);
    order(body, ids.slice(0, MOST).map((id) => rows.get(id)));
    box.hidden = ids.length === 0;
    fill(state, ids.length === 0 && none(filtered));
    fill(foot, ids.length > 0 && h("span", { class: "faint" }, `${count(ids.length, "event")}; older ones: `, h("code", {}, "paddock audit --since 30d")));
  };
  return { elements: [box, state, foot], take, refused: () => fill(state) };
}

export function audit(main, { query, signal, tell }) {
  const wanted = { type: query.get("type") ?? "", subject: query.get("subject") ?? "", session: query.get("session") ?? "" };
  const events = eventTable(Object.values(wanted).some(Boolean));
  const trouble = h("div", { "aria-live": "polite" });
  let after;
  fill(main, heading("Audit"), filterBar(wanted), trouble, events.elements);
  // The log has no watch: asked again behind the last event, while somebody looks.
  keepTrying(async (current, well) => {
    for (;;) {
      const list = await get(withQuery(auditPath(), { ...wanted, after, limit: after === undefined ? FIRST : undefined }), { signal: current });
      after = list.last;
      events.take(list);
      tell("live");
      fill(trouble);
      well();
      await sleep(EVERY_MS, current);
      if (current.aborted) return signal.aborted;
    }
  }, {
    signal,
    tell: (to, error) => {
      tell(to);
      fill(trouble, error && problem(error));
      if (to === "refused") events.refused();
    },
  });
}
