// Search in a log: the field, how many lines have the text, and the way from one to the next.
import { h, setText } from "./dom.mjs";
import { count } from "./format.mjs";
import { MOST_HITS, Search, nextHit } from "./log_search.mjs";

const EVERY_MS = 500;  // while lines come in
const AT_ONCE_MS = 12;  // then the page does what else there is to do

// A search that goes on in the background: `found(hits, whole)` hears of it once it has come to the end.
function searcher(model, signal, found) {
  let now = new Search("");
  let waiting;
  const step = () => {
    if (signal.aborted) return;
    const whole = now.step(model, performance.now() + AT_ONCE_MS);
    waiting = whole ? undefined : setTimeout(step);
    if (whole) found(now.found);
  };
  return {
    begin: (text) => {
      clearTimeout(waiting);
      now = new Search(text);
      step();
    },
    grown: () => { if (now.wanted) waiting ??= setTimeout(step, EVERY_MS); },
    busy: () => waiting !== undefined,
  };
}

function hitsText({ needle, at, hits, busy }) {
  if (!needle) return "";
  if (hits.length === 0) return busy ? "searching…" : "none";
  return `${at < 0 ? "" : `${at + 1} of `}${hits.length >= MOST_HITS ? "the first " : ""}${count(hits.length, "line")}`;
}

// The field, with the ways to the previous and the next hit.
function findBar(number, { begin, go }) {
  const field = h("input", { type: "search", placeholder: "Search the log", "aria-label": "Search the log", class: "log-search" });
  field.addEventListener("input", () => begin(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  });
  const arrow = (text, label, step) => h("button", { type: "button", class: "small-square", "aria-label": label, title: label, on: { click: () => go(step) } }, text);
  return h("div", { class: "log-find" }, field, arrow("↑", "Previous match", -1), arrow("↓", "Next match", 1), number);
}

// options.needle is what is marked, options.chosen the line where one is; `choose(index)` goes to one.
export function finder(model, options, { choose, redraw, signal }) {
  let hits = [];
  let at = -1;
  let first = false;  // whether one waits to be brought to the first hit
  const number = h("span", { class: "faint log-hits", role: "status" });
  const show = () => setText(number, hitsText({ needle: options.needle, at, hits, busy: search.busy() }));
  const search = searcher(model, signal, (found) => {
    hits = found;
    if (first) {
      first = false;
      at = hits.findIndex((index) => index >= (options.chosen ?? 0));
      if (at < 0 && hits.length > 0) at = 0;
      if (at >= 0) choose(hits[at]);
    }
    show();
  });
  const begin = (text) => {
    options.needle = text;
    hits = [];
    at = -1;
    first = true;
    redraw();
    search.begin(text);
    show();
  };
  const go = (step) => {
    at = nextHit(hits, options.chosen ?? -1, step);
    if (at >= 0) choose(hits[at]);
    show();
  };
  return { element: findBar(number, { begin, go }), grown: search.grown };
}
