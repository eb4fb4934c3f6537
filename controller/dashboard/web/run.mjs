// One run: where it is in its life, why it waits, what it writes, what it was refused, what came back.
import { listAddress } from "./address.mjs";
import { collection, runPath } from "./api.mjs";
import { artifactsSection } from "./artifacts.mjs";
import { fill, h } from "./dom.mjs";
import { hasEnded } from "./format.mjs";
import { liveObject } from "./live.mjs";
import { logSection } from "./log.mjs";
import { phaseLine } from "./phases.mjs";
import { aboutSection, codeSection, lede, outcome } from "./run_about.mjs";
import { runActions } from "./run_actions.mjs";
import { denialsSection, enforcedSection, policySection, usageSection } from "./run_result.mjs";
import { neverStarted } from "./run_words.mjs";
import { brief, visible } from "./text.mjs";
import { badge, command, empty, heading, notice, problem, section, skeleton } from "./ui.mjs";

export function runPage(main, { words: [namespace, name], query, signal, tell }) {
  let run;
  const status = h("span", { class: "head-status", "aria-live": "polite" });
  const actions = runActions({ signal });
  const trouble = h("div", { "aria-live": "polite" });
  const line = h("div");
  const what = h("div", { class: "lede-box" });
  const why = h("div", { "aria-live": "polite" });
  const about = h("div");
  const code = h("div");
  const body = h("div", {}, skeleton(8));
  const denials = h("div");
  const ends = h("div");
  const log = logSection(namespace, name, { signal, line: Number(query.get("line")), started: () => !run || !neverStarted(run) });
  const artifacts = artifactsSection(namespace, name, { signal });

  fill(main,
    h("nav", { class: "crumbs", "aria-label": "Where" }, h("a", { href: listAddress("runs") }, "Runs"), " / ", visible(namespace)),
    heading(visible(name), status, actions.element), what, trouble, body);

  // All at once when there is something to show, so that nothing moves afterwards.
  const begin = () => {
    fill(body, line, why, denials, section("Log", { id: "log", note: log.state, actions: log.buttons }, log.box), artifacts.element, code, about, ends);
    log.start();
  };

  // A part is made anew only if what it shows has changed: somebody may be reading it.
  const shown = new Map();
  const put = (element, from, make) => {
    const now = JSON.stringify(from);
    if (shown.get(element) === now) return;
    shown.set(element, now);
    fill(element, make());
  };
  const draw = () => {
    const { phase, result } = run.status;
    document.title = `${phase} · ${visible(name)} · Paddock`;
    if (status.textContent !== phase) fill(status, badge(phase));
    actions.show(run);
    put(what, [run.spec, run.status.nodeName, result?.rc], () => lede(run));
    put(line, run.status, () => phaseLine(run));
    put(why, [run.status, run.spec], () => outcome(run));
    put(about, [run.spec, run.status, run.metadata.labels], () => aboutSection(run));
    put(code, run.spec.code, () => codeSection(run));
    put(denials, result?.denials, () => denialsSection(run));
    artifacts.show(run);
    if (hasEnded(phase)) tell("ended");
    put(ends, [result, run.status.policy], () => [usageSection(run), enforcedSection(run), policySection(run)]);
  };
  liveObject(runPath(namespace, name), collection("runs", namespace), name, {
    signal,
    changed: (now) => {
      if (!now) return gone(run);
      const first = !run;
      run = now;
      draw();
      return first && begin();
    },
    tell: (to, error) => {
      tell(to === "live" && run && hasEnded(run.status.phase) ? "ended" : to);
      fill(trouble, error && problem(error));
      if (to === "refused" && !run) fill(body);
    },
  });

  function gone(before) {
    actions.hide();
    fill(about);
    if (before) fill(why, notice("stopped", "This run was deleted", h("p", {}, "What this page has read of it is still below.")));
    else fill(main, heading(visible(name)), empty("There is no such run", h("p", {}, "It may have been deleted, or be in another namespace."), command(`paddock get runs ${brief(name, 60)}`),
      h("p", {}, h("a", { href: "#/runs" }, "Go to the runs"))));
  }
}
