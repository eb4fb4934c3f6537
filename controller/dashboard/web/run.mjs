// One run: where it is in its life, why it waits, what it writes, what it was refused, what came back.
import { collection, may, post, runPath } from "./api.mjs";
import { artifactsSection } from "./artifacts.mjs";
import { fill, h, setText } from "./dom.mjs";
import { bytes, clock, count, duration, hasEnded, parseQuantity, requested, sortEnforced, time, waiting } from "./format.mjs";
import { liveObject } from "./live.mjs";
import { logSection } from "./log.mjs";
import { phaseLine } from "./phases.mjs";
import { brief, executed, visible } from "./text.mjs";
import { ago, badge, command, empty, facts, grid, heading, meter, notice, problem, section, skeleton } from "./ui.mjs";

const LEVEL_TONES = { kernel: "good", broker: "good", polled: "warn", advisory: "warn", none: "bad" };

// The result repeats the beginning of each stream only; the log is cut where the policy says.
function cutStreams(result) {
  return ["stdout", "stderr"].filter((name) => {
    const kept = parseQuantity(result?.policy?.limits?.[name]);
    return kept !== undefined && result.usage[`${name}_bytes`] > kept;
  });
}

function outcome(run) {
  const { phase, reason, message, result } = run.status;
  if (phase === "Pending") {
    const { against, help, place } = waiting(message);
    return notice("waiting", run.status.attempt > 0 ? "Waiting for its next attempt" : "Why it waits",
      h("p", {}, against ? visible(against) : "The scheduler has not looked at it yet."),
      help && h("p", {}, h("strong", {}, "Would help: "), visible(help)), place && h("p", { class: "faint" }, place));
  }
  if (run.spec.cancelRequested && !hasEnded(phase)) return notice("stopped", "Being canceled", h("p", {}, run.status.killNow ? "Its processes are killed." : `Its processes get SIGTERM, and SIGKILL after ${visible(run.spec.terminationGrace ?? "a grace")}.`));
  if (run.status.eviction && !hasEnded(phase)) return notice("warn", "Being ended on its node", h("p", {}, visible(run.status.eviction.message)));
  if (!hasEnded(phase)) return undefined;
  const words = [result?.status, result?.errorClass, result?.code, result ? `rc ${result.rc}` : "", reason].filter(Boolean);
  const native = /^exited with \d+$/.test(result?.reason ?? "") ? "" : result?.reason;
  const said = [...new Set([message, native].filter(Boolean))];
  const cut = cutStreams(result);
  if (phase === "Succeeded" && cut.length === 0 && result?.status === "OK") return undefined;
  return notice({ Succeeded: "good", Failed: "bad", Canceled: "stopped" }[phase], { Succeeded: "It succeeded", Failed: "Why it failed", Canceled: "It was canceled" }[phase],
    said.map((each) => h("p", {}, visible(each))),
    cut.length > 0 && h("p", {}, `Cut at the policy's limit: ${cut.join(" and ")}.`),
    h("p", { class: "words" }, [...new Set(words)].map((each) => h("code", {}, visible(each)))));
}

function factsOf(run) {
  const { spec, status, metadata } = run;
  const wanted = spec.resources ?? {};
  return facts([
    ["Command", h("code", { class: "command-line" }, visible(executed(spec)))],
    ["Node", status.nodeName && h("a", { href: `#/nodes/${encodeURIComponent(status.nodeName)}` }, visible(status.nodeName))],
    ["Exit code", status.result && hasEnded(status.phase) ? String(status.result.rc) : undefined],
    ["Type", visible(spec.type)],
    ["Attempt", status.attempt > 0 ? String(status.attempt) : undefined],
    ["Created", h("span", {}, ago(metadata.creationTimestamp), " ago", status.createdBy && ` by ${visible(status.createdBy)}`)],
    ["Started", status.startedAt && clock(time(status.startedAt))],
    ["Finished", status.finishedAt && clock(time(status.finishedAt))],
    ["Workspace", visible(spec.workspace ?? "")],
    ["Asks for", [wanted.cpu && count(wanted.cpu, "core"), wanted.memory && bytes(parseQuantity(wanted.memory)),
      wanted.accelerators && `${wanted.accelerators.count} × ${visible(wanted.accelerators.kind)}`].filter(Boolean).join(", ")],
    ["Priority", spec.priority ? String(spec.priority) : undefined],
    ["Profile", visible(spec.profile ?? "")],
    ["Grants", (status.grants ?? []).map(visible).join(", ")],
    ["Published", status.publishedVersion && `${visible(spec.publish)}@${status.publishedVersion}`],
  ]);
}

// What one asks first: what ran, where, for whom.
function lede(run) {
  const { spec, status } = run;
  const rc = status.result && hasEnded(status.phase) ? `rc ${status.result.rc}` : "";
  return h("p", { class: "lede" }, h("code", {}, brief(executed(spec), 240)),
    h("span", { class: "faint" }, [visible(spec.type), status.nodeName && `on ${visible(status.nodeName)}`, status.createdBy && `by ${visible(status.createdBy)}`, rc]
      .filter(Boolean).join(" · ")));
}

function denialsSection(run) {
  const denials = run.status.result?.denials ?? [];
  if (denials.length === 0) return undefined;
  return section("Denials", { id: "denials", note: `${count(denials.length, "thing")} that the sandbox stopped` },
    h("ul", { class: "denials" }, denials.map((each) => h("li", { class: "denial" },
      h("p", { class: "denial-what" }, badge("Denied", "bad"), h("strong", {}, visible(each.what)),
        each.target && [" on ", h("code", {}, brief(each.target, 300))], each.executable && [" by ", h("code", {}, brief(each.executable, 300))],
        each.count > 1 && h("span", { class: "faint" }, ` ${each.count} times`)),
      facts([["Rule", each.rule && h("code", {}, visible(each.rule))], ["Would allow it", visible(each.remedy)]])))));
}

function usageSection(run) {
  const result = run.status.result;
  if (!result) return undefined;
  const { usage } = result;
  const limits = (result.policy ?? run.status.policy)?.limits ?? {};
  const memory = parseQuantity(limits.memory);
  const output = (name) => {
    const kept = parseQuantity(limits[name]);
    return meter(name, usage[`${name}_bytes`], kept ?? 0, `${bytes(usage[`${name}_bytes`])}${kept ? ` of ${bytes(kept)}` : ""}`);
  };
  const flows = usage.network ?? [];
  return section("Usage", { id: "usage", note: `${duration(result.duration_ms)} of real time` },
    h("div", { class: "meters" },
      h("div", { class: "meter" }, h("span", { class: "meter-label" }, "CPU time"), h("span"), h("span", { class: "meter-text" }, duration(usage.cpu_ms))),
      usage.peak_memory_bytes !== undefined && meter("Peak memory", usage.peak_memory_bytes, memory ?? 0, `${bytes(usage.peak_memory_bytes)}${memory ? ` of ${bytes(memory)}` : ""}`),
      usage.accelerator_ms !== undefined && h("div", { class: "meter" }, h("span", { class: "meter-label" }, "Accelerators held"), h("span"), h("span", { class: "meter-text" }, duration(usage.accelerator_ms))),
      usage.peak_pids !== undefined && meter("Processes", usage.peak_pids, limits.pids ?? 0, `${usage.peak_pids}${limits.pids ? ` of ${limits.pids}` : ""}`),
      output("stdout"), output("stderr")),
    flows.length > 0 && grid(["Reached", "Address", "Connections", "Sent", "Received"], flows.map((flow) => [
      h("code", {}, `${visible(flow.name)}${flow.port ? `:${flow.port}` : ""}`), visible(flow.address ?? ""), 
      h("div", {}, `${flow.connections}${flow.failures ? ` (${flow.failures} failed)` : ""}`, flow.problem && h("p", { class: "faint" }, visible(flow.problem))),
      bytes(flow.sent_bytes), bytes(flow.received_bytes)]), { label: "Network", numbers: [2, 3, 4] }));
}

function enforcedSection(run) {
  const rows = sortEnforced(run.status.result?.enforced);
  if (rows.length === 0 && hasEnded(run.status.phase)) return undefined;
  if (rows.length === 0) return section("Enforced", { id: "enforced" }, h("p", { class: "faint" }, "The node reports what was in force when the run has ended; what it has to be is the policy below."));
  const applied = rows.filter(([, each]) => each.applied).length;
  return section("Enforced", { id: "enforced", note: `${applied} of ${rows.length} in force before the first instruction` },
    grid(["Capability", "In force", "Level", "Asked for", "Mechanism"], rows.map(([name, each]) => [
      h("strong", {}, visible(name)), each.applied ? badge("Yes", "good") : badge("No", each.level === "none" ? "stopped" : "warn"),
      h("span", { class: `level tone-${LEVEL_TONES[each.level] ?? "info"}` }, visible(each.level)), h("code", {}, brief(requested(each.requested), 80)),
      h("div", {}, visible(each.mechanism), each.details && h("p", { class: "faint" }, visible(each.details)))]), { label: "What was enforced", name: "enforced" }));
}

function policySection(run) {
  const policy = run.status.result?.policy ?? run.status.policy;
  return policy && section("Policy", { id: "policy" }, h("details", {}, h("summary", {}, "The effective sandbox policy, as JSON"),
    h("pre", { class: "json", tabindex: "0" }, visible(JSON.stringify(policy, null, 2)))));
}

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

export function runPage(main, { words: [namespace, name], signal, tell }) {
  let run;
  const status = h("span", { class: "head-status", "aria-live": "polite" });
  const cancel = h("button", { type: "button", class: "danger-quiet" }, "Cancel run");
  const trouble = h("div", { "aria-live": "polite" });
  const line = h("div");
  const what = h("div", { class: "lede-box" });
  const why = h("div", { "aria-live": "polite" });
  const about = h("div");
  const body = h("div", {}, skeleton(8));
  const denials = h("div");
  const ends = h("div");
  const log = logSection(namespace, name, { signal });
  const artifacts = artifactsSection(namespace, name, { signal });
  cancel.hidden = true;
  cancel.addEventListener("click", () => {
    // What the controller has said of it since is newer.
    const dialog = confirmCancel(run, () => run.spec.cancelRequested || setText(cancel, "Canceling…"));
    signal.addEventListener("abort", () => dialog.close(), { once: true });
  });

  fill(main,
    h("nav", { class: "crumbs", "aria-label": "Where" }, h("a", { href: "#/runs" }, "Runs"), " / ", visible(namespace)),
    heading(visible(name), status, cancel), what, trouble, body);

  // All at once when there is something to show, so that nothing moves afterwards.
  const begin = () => {
    fill(body, line, why, denials, section("Log", { id: "log", note: log.state, actions: log.buttons }, log.box), artifacts.element, about, ends);
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
    put(about, [run.spec, run.status], () => section("About", { id: "about" }, factsOf(run)));
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
