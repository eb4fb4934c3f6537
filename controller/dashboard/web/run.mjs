// One run: where it is in its life, why it waits, what it writes, what it was refused, what came back.
import { listAddress } from "./address.mjs";
import { collection, runPath } from "./api.mjs";
import { artifactsSection } from "./artifacts.mjs";
import { fill, h } from "./dom.mjs";
import { hasEnded } from "./format.mjs";
import { liveObject } from "./live.mjs";
import { runUse } from "./live_use.mjs";
import { logSection } from "./log.mjs";
import { phaseLine } from "./phases.mjs";
import { aboutSection, codeSection, lede, outcome } from "./run_about.mjs";
import { runActions } from "./run_actions.mjs";
import { denialsSection, enforcedSection, policySection, usageSection } from "./run_result.mjs";
import { neverStarted } from "./run_words.mjs";
import { brief, visible } from "./text.mjs";
import { badge, command, empty, heading, notice, problem, section, skeleton } from "./ui.mjs";

// A part of the page: its name, what it shows, and how that is made.
const PARTS = [
  ["what", ({ spec, status }) => [spec, status.nodeName, status.result?.rc], lede],
  ["line", ({ status }) => status, phaseLine],
  ["why", ({ spec, status }) => [spec, status], outcome],
  ["denials", ({ status }) => status.result?.denials, denialsSection],
  ["code", ({ spec }) => spec.code, codeSection],
  ["about", ({ spec, status, metadata }) => [spec, status, metadata.labels], aboutSection],
  ["ends", ({ status }) => [status.result, status.policy], (run) => [usageSection(run), enforcedSection(run), policySection(run)]],
];

// A part is made anew only if what it shows has changed: somebody may be reading it.
function runParts() {
  const elements = Object.fromEntries(PARTS.map(([name]) => [name, h("div", { class: `run-${name}`, "aria-live": name === "why" ? "polite" : undefined })]));
  const shown = new Map();
  const show = (run) => {
    for (const [name, from, make] of PARTS) {
      const now = JSON.stringify(from(run));
      if (shown.has(name) && shown.get(name) === now) continue;
      shown.set(name, now);
      fill(elements[name], make(run));
    }
  };
  return { elements, show };
}

const noSuchRun = (name) => [heading(visible(name)), empty("There is no such run", h("p", {}, "It may have been deleted, or be in another namespace."),
  command(`paddock get runs ${brief(name, 60)}`), h("p", {}, h("a", { href: "#/runs" }, "Go to the runs")))];

const deleted = () => notice("stopped", "This run was deleted", h("p", {}, "What this page has read of it is still below."));

const crumbs = (namespace) => h("nav", { class: "crumbs", "aria-label": "Where" }, h("a", { href: listAddress("runs") }, "Runs"), " / ", visible(namespace));

const inOrder = ({ line, why, denials, code, about, ends }, log, use, artifacts) =>
  [line, why, denials, section("Log", { id: "log", note: log.state, actions: log.buttons }, log.box), use.element, artifacts.element, code, about, ends];

// Its phase, in the head and in the title of the window.
function phaseSign(name) {
  const element = h("span", { class: "head-status", "aria-live": "polite" });
  const show = (phase) => {
    document.title = `${phase} · ${visible(name)} · Paddock`;
    if (element.textContent !== phase) fill(element, badge(phase));
  };
  return { element, show };
}

export function runPage(main, { words: [namespace, name], query, signal, tell }) {
  let run;
  const sign = phaseSign(name);
  const trouble = h("div", { "aria-live": "polite" });
  const actions = runActions({ signal, trouble });
  const body = h("div", {}, skeleton(8));
  const { elements, show } = runParts();
  const log = logSection(namespace, name, { signal, line: Number(query.get("line")), started: () => !run || !neverStarted(run) });
  const use = runUse(signal);
  const artifacts = artifactsSection(namespace, name, { signal });
  fill(main, crumbs(namespace), heading(visible(name), sign.element, actions.element), elements.what, trouble, body);

  const gone = () => {
    actions.hide();
    if (!run) return fill(main, noSuchRun(name));
    fill(elements.about);
    return fill(elements.why, deleted());
  };
  const changed = (now) => {
    if (!now) return void gone();
    const first = !run;
    run = now;
    sign.show(run.status.phase);
    actions.show(run);
    show(run);
    use.show(run);
    artifacts.show(run);
    if (hasEnded(run.status.phase)) tell("ended");
    if (!first) return;
    fill(body, inOrder(elements, log, use, artifacts));  // all at once, so that nothing moves afterwards
    log.start();
  };
  liveObject(runPath(namespace, name), collection("runs", namespace), name, {
    signal, changed,
    tell: (to, error) => {
      tell(to === "live" && run && hasEnded(run.status.phase) ? "ended" : to);
      fill(trouble, error && problem(error));
      if (to === "refused" && !run) fill(body);
    },
  });
}
