// Search in a log: the field, how many lines have the text, and the way from one to the next.
import { h, setText } from "./dom.mjs";
import { count } from "./format.mjs";
import { MOST_HITS, nextHit, search } from "./log_search.mjs";

const EVERY_MS = 500;  // while lines come in

// options.needle is what is marked, options.chosen the line where one is; `choose(index)` goes to one.
export function finder(model, options, { choose, redraw }) {
  let hits = [];
  let at = -1;
  let waiting;
  const number = h("span", { class: "faint log-hits", role: "status" });
  const show = () => {
    const place = at < 0 ? "" : `${at + 1} of `;
    const all = `${hits.length >= MOST_HITS ? "the first " : ""}${count(hits.length, "line")}`;
    setText(number, !options.needle ? "" : hits.length === 0 ? "none" : place + all);
  };
  const again = () => {
    waiting = undefined;
    hits = search(model.lines, options.needle);
    show();
  };
  const go = (step) => {
    at = nextHit(hits, options.chosen ?? -1, step);
    if (at >= 0) choose(hits[at]);
    show();
  };
  const begin = (text) => {
    options.needle = text;
    again();
    at = hits.findIndex((index) => index >= (options.chosen ?? 0));
    if (at < 0 && hits.length > 0) at = 0;
    show();
    if (at < 0) redraw();
    else choose(hits[at]);
  };
  const field = h("input", { type: "search", placeholder: "Search the log", "aria-label": "Search the log", class: "log-search" });
  field.addEventListener("input", () => begin(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  });
  const arrow = (text, label, step) => h("button", { type: "button", class: "small-square", "aria-label": label, title: label, on: { click: () => go(step) } }, text);
  return {
    element: h("div", { class: "log-find" }, field, arrow("↑", "Previous match", -1), arrow("↓", "Next match", 1), number),
    grown: () => { if (options.needle) waiting ??= setTimeout(again, EVERY_MS); },
  };
}
