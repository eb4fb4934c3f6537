// A run's output as it is written.
import { address, note } from "./address.mjs";
import { download, logPath, runEvents } from "./api.mjs";
import { fill, h, setText } from "./dom.mjs";
import { count, time } from "./format.mjs";
import { eachFrame, keepTrying } from "./live.mjs";
import { finder } from "./log_find.mjs";
import { follower } from "./log_follow.mjs";
import { LogModel } from "./log_model.mjs";
import { LogView } from "./log_view.mjs";
import { busyButton, save } from "./save.mjs";
import { visible } from "./text.mjs";

const STREAMS = ["stdout", "stderr", "system"];

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

function saveButton(namespace, name, { signal, trouble }) {
  return busyButton({ class: "chip", title: "All of it, as a file" }, ["Download", "Reading…"],
    async () => save(await download(logPath(namespace, name, liked.times), signal), `${name}.log`),
    (error) => setText(trouble, error && !signal.aborted ? visible(error.message) : ""));
}

// The number of a line is a link to it; a plain click only notes it in the address.
function onNumber(box, words, options, view) {
  box.addEventListener("click", (event) => {
    const number = Number(event.target.dataset?.number);
    if (!number || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    note(words, { line: number });
    options.chosen = number - 1;
    view.redraw();
  });
}

// What says that there is nothing yet, that there was nothing, or that the beginning is not kept.
function notes(model, name) {
  const nothing = h("p", { class: "log-empty" }, "Waiting for output…");
  const left = h("p", { class: "log-left", hidden: true });
  const show = () => {
    left.hidden = model.dropped === 0;
    if (model.dropped > 0) setText(left, `${count(model.dropped, "earlier line")} not kept here; all of it: Download, or paddock logs ${visible(name)}`);
    nothing.hidden = model.lines.length > 0;
  };
  return { elements: [left, nothing], show, ended: (started) => setText(nothing, started ? "It wrote nothing." : "No output: the command was never started.") };
}

// The line of the address, which may not have been written yet.
function awaitedLine(model, view, index) {
  let awaited = index;
  const missing = () => awaited !== undefined && model.end <= awaited;
  const come = () => {
    if (awaited === undefined || missing()) return;
    view.reveal(awaited);
    awaited = undefined;
  };
  return { come, missing };
}

function switchButtons(box, options, view) {
  return [
    switchButton("wrap", "Wrap", "Long lines in several rows", (on) => box.classList.toggle("log-long", !on)),
    switchButton("times", "Times", "When each line was written", (on) => { options.times = on; view.redraw(); }),
    switchButton("tall", "Tall", "As high as the window", (on) => box.classList.toggle("log-tall", on)),
  ];
}

const stateText = (to, error) => ({ offline: "incomplete: reconnecting", paused: "paused", refused: visible(error?.message) })[to] ?? "";

// The field to search, and where a hit goes to.
function logFinder(model, options, view, end, signal) {
  return finder(model, options, {
    signal,
    redraw: () => view.redraw(),
    choose: (index) => {
      options.chosen = index;
      end.set(false);
      view.redraw();
      view.reveal(index);
    },
  });
}

export function logSection(namespace, name, { signal, line = 0, started = () => true }) {
  const model = new LogModel();
  const options = { times: liked.times, needle: "", chosen: line > 0 ? line - 1 : undefined, linkOf: (number) => address(["runs", namespace, name], { line: number }) };
  const box = h("div", { class: "log", tabindex: "0", role: "log", "aria-label": "Output", "aria-live": "off" });
  const view = new LogView(box, model, options);
  const says = notes(model, name);
  const state = h("span", { class: "faint", role: "status" }, "");
  const trouble = h("span", { class: "tone-bad", "aria-live": "polite" });
  const awaited = awaitedLine(model, view, options.chosen);
  let changed = new Set();
  fill(box, says.elements, view.body);
  signal.addEventListener("abort", () => view.stop());
  const end = follower(box, options.chosen === undefined);
  const find = logFinder(model, options, view, end, signal);
  onNumber(box, ["runs", namespace, name], options, view);

  const draw = eachFrame(() => {
    if (signal.aborted) return;
    view.update(changed, end.following());
    changed = new Set();
    says.show();
    end.toEnd();
    find.grown();
    awaited.come();
  });
  const ended = () => {
    says.ended(started());
    end.button.hidden = true;
    if (awaited.missing()) end.set(true);  // the address names a line that there is not
  };
  const take = ({ type, data }) => {
    if (type === "end") ended();
    if (STREAMS.includes(type)) for (const number of model.push(type, data.data, time(data.time))) changed.add(number);
    draw();
  };
  const start = () => follow(namespace, name, { signal, take, tell: (to, error) => setText(state, stateText(to, error)) });
  return { box, state: [state, trouble], start, buttons: [find.element, end.button, switchButtons(box, options, view), saveButton(namespace, name, { signal, trouble })] };
}
