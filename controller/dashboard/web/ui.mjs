// The pieces that pages are made of.
import { fill, h, svg } from "./dom.mjs";
import { age, clock, percent, time } from "./format.mjs";
import { visible } from "./text.mjs";

// Each status has a shape of its own, a word, and only then a colour.
const SHAPES = {
  ahead: ["M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11"],
  waiting: ["M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11", "M8 5v3.2l2 1.3"],
  moving: ["M8 2.2A5.8 5.8 0 1 1 2.2 8"],
  good: ["M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2", "M5.3 8.2l1.9 1.9 3.6-4"],
  bad: ["M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2", "M5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2"],
  stopped: ["M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2", "M5.2 8h5.6"],
  warn: ["M8 2.4l6 10.8H2z", "M8 6.3v3.1M8 11.3v.2"],
  theme: ["M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2", "M8 2.2v11.6M10.6 3v10M12.7 4.6v6.8"],
  info: ["M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2", "M8 7.4v3.4M8 5.1v.2"],
};

const TONES = {
  Pending: "waiting", Scheduled: "moving", Preparing: "moving", Running: "moving",
  Succeeded: "good", Failed: "bad", Canceled: "stopped",
  Ready: "good", NotReady: "bad", Lost: "bad", DiskFull: "warn", Faulty: "bad", Resting: "warn",
  SchedulingDisabled: "stopped", Draining: "warn", Tainted: "info",
};

export function icon(shape) {
  return svg("svg", { class: `icon icon-${shape}`, viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    SHAPES[shape].map((d) => svg("path", { d })));
}

export function badge(word, tone = TONES[word] ?? "info") {
  return h("span", { class: `badge tone-${tone}` }, icon(tone), h("span", {}, visible(word)));
}

// A time that goes on ticking; see tick().
export function ago(text) {
  const ms = time(text);
  if (ms === undefined) return h("span", { class: "faint" }, "–");
  return h("time", { datetime: new Date(ms).toISOString(), title: clock(ms), data: { since: ms } }, age(ms, Date.now()));
}

export function tick(root) {
  const now = Date.now();
  for (const element of root.querySelectorAll("[data-since]")) {
    const text = age(Number(element.dataset.since), now);
    if (element.textContent !== text) element.textContent = text;
  }
}

export function empty(title, ...advice) {
  return h("div", { class: "empty" }, icon("info"), h("p", { class: "empty-title" }, title), h("div", { class: "empty-advice" }, advice));
}

export const command = (text) => h("code", { class: "command" }, text);

// Our own words, in which `…` is something to type.
export const words = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));

// The first cause is in the message already; the others have their fields.
function causesOf({ message, causes = [] }) {
  const more = causes.filter((each) => !message.includes(each.message));
  return more.length > 0 && h("ul", { class: "causes" }, more.slice(0, 20).map(({ field, message: text }) => h("li", {}, field && [h("code", {}, visible(field)), ": "], words(visible(text)))));
}

// What went wrong, its stable code, and what to do about it.
export function problem(error, advice) {
  const advise = words(advice ?? ADVICE[error.code] ?? (error.status === 0 ? ADVICE.UNREACHABLE : ""));
  return h("div", { class: "notice tone-bad", role: "alert" }, icon("warn"),
    h("div", {}, h("p", { class: "notice-title" }, words(visible(error.message))), causesOf(error),
      h("p", {}, error.code && h("code", {}, visible(error.code)), error.code && advise[0] ? " · " : "", advise)));
}

const ADVICE = {
  UNREACHABLE: "Trying again by itself. On the controller's host, `paddock status` says whether it runs.",
  STREAM_BROKEN: "Connecting again by itself.",
  TOO_LARGE: "The CLI reads it: `paddock artifacts`, `paddock logs`.",
  PAGE_FAULT: "Reload the page; if it happens again, what the CLI shows of it may help.",
  SCOPE_MISSING: "Ask whoever runs this controller for a token with this scope, or log in with another one.",
  NAMESPACE_DENIED: "What is outside of it, and what belongs to the whole cluster, needs another token.",
  RUN_NOT_FOUND: "It may have been deleted; ended runs are kept as long as the controller's retention says.",
};

// What is live tells how its connection is, at the top of the page and in `box` why it is not well.
// After a refusal, `shown` is emptied, because its content may not be seen any more.
export const tellIn = (box, shown, tell) => (to, error) => {
  tell(to);
  fill(box, error && problem(error));
  if (to === "refused") fill(shown);
};

export function notice(tone, title, ...body) {
  return h("div", { class: `notice tone-${tone}` }, icon(tone), h("div", {}, h("p", { class: "notice-title" }, title), body));
}

// A bar with its numbers beside it, for those who do not see the bar.
export function meter(label, used, whole, text) {
  const part = whole > 0 ? Math.min(1, used / whole) : 0;
  const bar = h("span", { class: `meter-bar${part > 0.9 ? " is-full" : ""}` });
  bar.style.setProperty("--part", String(part));
  return h("div", { class: "meter", title: percent(used, whole) },
    h("span", { class: "meter-label" }, label), h("span", { class: "meter-track", "aria-hidden": "true" }, bar),
    h("span", { class: "meter-text" }, text));
}

export function section(title, { id, note, actions } = {}, ...body) {
  return h("section", { class: "section", "aria-labelledby": id }, h("div", { class: "section-head" },
    h("h2", { id }, title), note && h("span", { class: "faint" }, note), actions && h("div", { class: "actions" }, actions)), body);
}

// rows: arrays of cells. On narrow screens each row is a card, and the column's name stands before its cell.
export function grid(columns, rows, { label, name, numbers = [] } = {}) {
  const cell = (content, i) => h("td", { class: numbers.includes(i) ? "number" : undefined, data: { label: columns[i] } }, content);
  return h("div", { class: "table-box" }, h("table", { "aria-label": label, class: name },
    h("thead", {}, h("tr", {}, columns.map((name, i) => h("th", { scope: "col", class: numbers.includes(i) ? "number" : undefined }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell))))));
}

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value || value === 0).filter(([, value]) => value.length !== 0)
    .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

export function skeleton(rows = 6) {
  return h("div", { class: "skeleton", "aria-hidden": "true" }, Array.from({ length: rows }, () => h("div", {})));
}

export function heading(title, ...beside) {
  return h("div", { class: "page-head" }, h("h1", { tabindex: "-1" }, title), beside);
}
