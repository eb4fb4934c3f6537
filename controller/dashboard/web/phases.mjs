// A run's way through its phases, and where its time went.
import { h } from "./dom.mjs";
import { age, duration, hasEnded, time } from "./format.mjs";
import { WAY, reached } from "./run_words.mjs";
import { visible } from "./text.mjs";
import { badge, icon } from "./ui.mjs";

const TIMES = ["queue", "workspace", "environment", "run", "artifacts"];

function step(name, state) {
  const shape = state === "now" ? icon(name === "Pending" ? "waiting" : "moving") : icon(state === "done" ? "good" : "ahead");
  return h("li", { class: `step step-${state}`, "aria-current": state === "now" ? "step" : undefined }, shape, h("span", {}, name));
}

function clockOf(run) {
  const { startedAt, finishedAt } = run.status;
  const began = time(startedAt);
  if (began === undefined) return undefined;
  if (finishedAt) return h("span", { class: "step-time" }, `took ${duration(time(finishedAt) - began)}`);
  return h("span", { class: "step-time", data: { since: began } }, age(began, Date.now()));
}

function timesOf(run) {
  const timings = run.status.timingsMs ?? {};
  const names = [...TIMES.filter((name) => name in timings), ...Object.keys(timings).filter((name) => !TIMES.includes(name)).sort()];
  if (names.length === 0) return undefined;
  return h("ul", { class: "times", "aria-label": "Where the time went" }, names.map((name) =>
    h("li", {}, h("span", { class: "faint" }, visible(name)), " ", duration(timings[name]))));
}

export function phaseLine(run) {
  const { phase } = run.status;
  const at = reached(run.status);
  const ended = hasEnded(phase);
  return h("div", { class: "phases" },
    h("ol", { class: "steps", "aria-label": "Phases" },
      // An ended run shows only the steps that it reached.
      (ended ? WAY.slice(0, at + 1) : WAY).map((name, i) => step(name, !ended && i === at ? "now" : i <= at ? "done" : "ahead")),
      ended ? h("li", { class: "step step-end" }, badge(phase)) : step("Ended", "ahead"), h("li", { class: "step-clock" }, clockOf(run))),
    timesOf(run));
}
