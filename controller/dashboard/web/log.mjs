// A run's output as it is written.
import { address, note } from "./address.mjs";
import { download, logPath, runEvents } from "./api.mjs";
import { fill, h, setText } from "./dom.mjs";
import { count, time } from "./format.mjs";
import { eachFrame, keepTrying } from "./live.mjs";
import { LogModel } from "./log_model.mjs";
import { MOST_HITS, nextHit, search } from "./log_search.mjs";
import { logView } from "./log_view.mjs";
import { busyButton, save } from "./save.mjs";
import { visible } from "./text.mjs";

const STREAMS = ["stdout", "stderr", "system"];
const SEARCH_EVERY_MS = 500;

// How one likes to read holds for every log until the page is closed.
const liked = { wrap: true, times: false, tall: false };

// Events go on from the last one that was seen, so nothing is lost and nothing comes twice.
function follow(namespace, name, { signal, take, tell }) {
  let after = 0;
  return keepTrying(async (current, well) => {
    for await (const event of runEvents(namespace, name, { after, signal: current })) {
      well();
      tell("live");
      after = event.id;
      take(event);
      if (event.type === "end") return true;
    }
    return false;
  }, { signal, tell });
}

// A switch of `liked`.
function switchButton(key, word, title, apply) {
  const button = h("button", { type: "button", class: "chip", title }, word);
  const show = () => {
    button.setAttribute("aria-pressed", String(liked[key]));
    apply(liked[key]);
  };
  button.addEventListener("click", () => { liked[key] = !liked[key]; show(); });
  show();
  return button;
}

// The field, how many lines have it, and the way from one to the next. `found(text)` hears of a new text.
function searchBar({ found, go }) {
  const field = h("input", { type: "search", placeholder: "Search the log", "aria-label": "Search the log", class: "log-search" });
  const number = h("span", { class: "faint log-hits", role: "status" });
  field.addEventListener("input", () => found(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      go(event.shiftKey ? -1 : 1);
    }
  });
  const arrow = (text, label, step) => h("button", { type: "button", class: "small-square", "aria-label": label, title: label, on: { click: () => go(step) } }, text);
  return { element: h("div", { class: "log-find" }, field, arrow("↑", "Previous match", -1), arrow("↓", "Next match", 1), number), number };
}

export function logSection(namespace, name, { signal, line: wantedLine, started = () => true }) {
  const model = new LogModel();
  const options = { times: liked.times, needle: "", chosen: wantedLine - 1, linkOf: (number) => address(["runs", namespace, name], { line: number }) };
  const nothing = h("p", { class: "log-empty" }, "Waiting for output…");
  const left = h("p", { class: "log-left", hidden: true });
  const box = h("div", { class: "log", tabindex: "0", role: "log", "aria-label": "Output", "aria-live": "off" });
  const view = logView(box, model, options);
  const state = h("span", { class: "faint", role: "status" }, "");
  const trouble = h("span", { class: "tone-bad", "aria-live": "polite" });
  let following = !(wantedLine > 0);
  let awaited = wantedLine > 0 ? wantedLine - 1 : undefined;  // the line of the address, until it is there
  let changed = new Set();
  let hits = [];
  let at = -1;
  fill(box, left, nothing, view.body);
  signal.addEventListener("abort", view.stop);

  const followButton = h("button", { type: "button", class: "chip", data: { key: "f" }, title: "Stay at the newest line (f)" }, "Follow");
  const setFollowing = (wanted) => {
    following = wanted;
    followButton.setAttribute("aria-pressed", String(wanted));
    if (wanted) box.scrollTop = box.scrollHeight;
  };
  followButton.addEventListener("click", () => setFollowing(!following));
  setFollowing(following);
  // Who scrolls up wants to read; who comes back to the end wants to follow.
  let lastTop = 0;
  box.addEventListener("scroll", () => {
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 8;
    if (following && box.scrollTop < lastTop - 4 && !atEnd) setFollowing(false);
    else if (!following && atEnd && awaited === undefined && box.scrollTop > lastTop) setFollowing(true);
    lastTop = box.scrollTop;
  });

  const choose = (index) => {
    options.chosen = index;
    setFollowing(false);
    view.redraw();
    return view.reveal(index);
  };
  box.addEventListener("click", (event) => {
    const number = Number(event.target.dataset?.number);
    if (!number || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    note(["runs", namespace, name], { line: number });
    options.chosen = number - 1;
    view.redraw();
  });

  const showHits = () => setText(find.number, !options.needle ? "" : hits.length === 0 ? "none" : `${at < 0 ? "" : `${at + 1} of `}${hits.length >= MOST_HITS ? "the first " : ""}${count(hits.length, "line")}`);
  const go = (step) => {
    at = nextHit(hits, options.chosen ?? -1, step);
    if (at >= 0) choose(hits[at]);
    showHits();
  };
  let searching;
  const searchAgain = () => {
    searching = undefined;
    hits = search(model.lines, options.needle);
    showHits();
  };
  const find = searchBar({
    go,
    found: (text) => {
      options.needle = text;
      at = -1;
      searchAgain();
      const first = hits.find((index) => index >= (options.chosen ?? 0)) ?? hits[0];
      if (first === undefined) return view.redraw();
      at = hits.indexOf(first);
      showHits();
      return choose(first);
    },
  });

  const draw = eachFrame(() => {
    if (signal.aborted) return;
    view.update(changed, following);
    changed = new Set();
    left.hidden = model.dropped === 0;
    if (model.dropped > 0) setText(left, `${count(model.dropped, "earlier line")} not kept here; all of it: Download, or paddock logs ${visible(name)}`);
    nothing.hidden = model.lines.length > 0;
    if (following) box.scrollTop = box.scrollHeight;
    if (awaited !== undefined && model.end > awaited) {
      view.reveal(awaited);
      awaited = undefined;
    }
    if (options.needle) searching ??= setTimeout(searchAgain, SEARCH_EVERY_MS);
  });
  const take = ({ type, data }) => {
    if (type === "end") {
      setText(nothing, started() ? "It wrote nothing." : "No output: the command was never started.");
      followButton.hidden = true;
    } else if (STREAMS.includes(type)) {
      for (const number of model.push(type, data.data, time(data.time))) changed.add(number);
      draw();
    }
  };
  const start = () => follow(namespace, name, {
    signal, take,
    tell: (to, error) => setText(state, to === "offline" ? "incomplete: reconnecting" : to === "refused" ? visible(error.message) : to === "paused" ? "paused" : ""),
  });
  const saveLog = busyButton({ class: "chip", title: "All of it, as a file" }, ["Download", "Reading…"],
    async () => save(await download(logPath(namespace, name, liked.times), signal), `${name}.log`),
    (error) => setText(trouble, error && !signal.aborted ? visible(error.message) : ""));
  const switches = [
    switchButton("wrap", "Wrap", "Long lines in several rows", (on) => box.classList.toggle("log-long", !on)),
    switchButton("times", "Times", "When each line was written", (on) => { options.times = on; view.redraw(); }),
    switchButton("tall", "Tall", "As high as the window", (on) => box.classList.toggle("log-tall", on)),
  ];
  return { box, state: [state, trouble], start, buttons: [find.element, followButton, ...switches, saveLog] };
}
