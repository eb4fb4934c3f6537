// One run: where it is in its life, why it waits, what it writes, what it was refused, what came back.
import { listAddress } from "./address.mjs";
import { collection, may, post, runPath } from "./api.mjs";
import { artifactsSection } from "./artifacts.mjs";
import { fill, h, setText } from "./dom.mjs";
import { hasEnded } from "./format.mjs";
import { liveObject } from "./live.mjs";
import { logSection } from "./log.mjs";
import { phaseLine } from "./phases.mjs";
import { aboutSection, codeSection, lede, outcome } from "./run_about.mjs";
import { denialsSection, enforcedSection, policySection, usageSection } from "./run_result.mjs";
import { neverStarted } from "./run_words.mjs";
import { brief, visible } from "./text.mjs";
import { badge, command, empty, heading, notice, problem, section, skeleton } from "./ui.mjs";

// A run that is being canceled may have long to go: it can be killed.
function confirmCancel(run, then) {
  const kills = run.spec.cancelRequested;
  const yes = h("button", { type: "button", class: "danger" }, kills ? "Kill the run" : "Cancel the run");
  const no = h("button", { type: "button" }, kills ? "Let it end" : "Keep it running");
  const answer = h("div", { "aria-live": "polite" });
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "cancel-title" }, h("h2", { id: "cancel-title" }, `${kills ? "Kill" : "Cancel"} ${visible(run.metadata.name)}?`),
    h("p", {}, `All its processes are ${kills ? "killed, without what is left of their grace" : "ended"}, what it has written so far stays in its log. This cannot be undone.`), answer,
    h("div", { class: "dialog-end" }, no, yes));
  no.addEventListener("click", () => dialog.close());
  yes.addEventListener("click", async () => {
    yes.disabled = true;
    try {
      await post(`${runPath(run.metadata.namespace, run.metadata.name)}/cancel`, kills ? { now: true } : {});
      dialog.close();
      then();
    } catch (error) {
      fill(answer, problem(error));
      yes.disabled = false;
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  no.focus();
  return dialog;
}

export function runPage(main, { words: [namespace, name], query, signal, tell }) {
  let run;
  const status = h("span", { class: "head-status", "aria-live": "polite" });
  const cancel = h("button", { type: "button", class: "danger-quiet" }, "Cancel run");
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
  cancel.hidden = true;
  cancel.addEventListener("click", () => {
    // What the controller has said of it since is newer.
    const dialog = confirmCancel(run, () => run.spec.cancelRequested || setText(cancel, "Canceling…"));
    signal.addEventListener("abort", () => dialog.close(), { once: true });
  });

  fill(main,
    h("nav", { class: "crumbs", "aria-label": "Where" }, h("a", { href: listAddress("runs") }, "Runs"), " / ", visible(namespace)),
    heading(visible(name), status, cancel), what, trouble, body);

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
    cancel.hidden = hasEnded(phase) || !may("runs:write");
    const ending = Boolean(run.spec.cancelRequested);
    cancel.disabled = ending && (Boolean(run.status.killNow) || !run.spec.terminationGrace);
    setText(cancel, !ending ? "Cancel run" : cancel.disabled ? "Canceling…" : "Kill run");
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
    cancel.hidden = true;
    fill(about);
    if (before) fill(why, notice("stopped", "This run was deleted", h("p", {}, "What this page has read of it is still below.")));
    else fill(main, heading(visible(name)), empty("There is no such run", h("p", {}, "It may have been deleted, or be in another namespace."), command(`paddock get runs ${brief(name, 60)}`),
      h("p", {}, h("a", { href: "#/runs" }, "Go to the runs"))));
  }
}
