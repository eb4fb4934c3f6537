// A run's output as it is written.
import { classes } from "./ansi.mjs";
import { runEvents } from "./api.mjs";
import { fill, h, setText } from "./dom.mjs";
import { clock, count, time } from "./format.mjs";
import { eachFrame, keepTrying } from "./live.mjs";
import { LogModel } from "./log_model.mjs";
import { visible } from "./text.mjs";

const MARKS = { stdout: "", stderr: "err", system: "sys" };

function lineElement(line) {
  const text = h("span", { class: "log-text" });
  const element = h("div", { class: `log-line log-${line.stream}`, title: clock(line.at) },
    h("span", { class: "log-mark" }, MARKS[line.stream] ?? ""), text);
  return { element, text };
}

function showLine(text, line) {
  fill(text, line.pieces.map(({ text: each, style }) => {
    const names = classes(style);
    return names ? h("span", { class: names }, each) : each;
  }), line.cut > 0 && h("span", { class: "log-note" }, ` … ${count(line.cut, "more character")}`));
}

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

export function logSection(namespace, name, { signal }) {
  const model = new LogModel();
  const elements = new Map();
  const lines = h("div", { class: "log-lines" });
  const nothing = h("p", { class: "log-empty" }, "Waiting for output…");
  const left = h("p", { class: "log-left" });
  const box = h("div", { class: "log", tabindex: "0", role: "log", "aria-label": "Output", "aria-live": "off" }, left, nothing, lines);
  const state = h("span", { class: "faint", role: "status" }, "");
  const followButton = h("button", { type: "button", class: "chip", "aria-pressed": "true", data: { key: "f" }, title: "Stay at the newest line (f)" }, "Follow");
  const wrapButton = h("button", { type: "button", class: "chip", "aria-pressed": "true" }, "Wrap");
  let following = true;
  let changed = new Set();
  left.hidden = true;

  const setFollowing = (wanted) => {
    following = wanted;
    followButton.setAttribute("aria-pressed", String(wanted));
    if (wanted) box.scrollTop = box.scrollHeight;
  };
  followButton.addEventListener("click", () => setFollowing(!following));
  wrapButton.addEventListener("click", () => {
    const wrapped = box.classList.toggle("log-long") === false;
    wrapButton.setAttribute("aria-pressed", String(wrapped));
  });
  // Who scrolls up wants to read; who comes back to the end wants to follow.
  let lastTop = 0;
  box.addEventListener("scroll", () => {
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 8;
    if (following && box.scrollTop < lastTop - 4 && !atEnd) setFollowing(false);
    else if (!following && atEnd) setFollowing(true);
    lastTop = box.scrollTop;
  });

  const draw = eachFrame(() => {
    for (const line of [...changed].sort((a, b) => a.index - b.index)) {
      if (line.index < model.dropped && !elements.has(line)) continue;
      let known = elements.get(line);
      if (!known) {
        known = lineElement(line);
        elements.set(line, known);
        lines.append(known.element);
      }
      showLine(known.text, line);
    }
    changed = new Set();
    for (const [line, { element }] of elements) {
      if (line.index >= model.dropped) break;
      element.remove();
      elements.delete(line);
    }
    left.hidden = model.dropped === 0;
    if (model.dropped > 0) setText(left, `${count(model.dropped, "earlier line")} not shown here; all of it: paddock logs ${visible(name)}`);
    nothing.hidden = model.lines.length > 0;
    if (following) box.scrollTop = box.scrollHeight;
  });

  const take = ({ type, data }) => {
    if (type === "end") {
      setText(nothing, "It wrote nothing.");
    } else if (type in MARKS) {
      for (const line of model.push(type, data.data, time(data.time))) changed.add(line);
      draw();
    }
  };
  const start = () => follow(namespace, name, {
    signal, take,
    tell: (to, error) => setText(state, to === "offline" ? "incomplete: reconnecting" : to === "refused" ? visible(error.message) : to === "paused" ? "paused" : ""),
  });
  return { box, state, start, buttons: [followButton, wrapButton] };
}
