// What a run is: its command or code, what it asked for, why it waits or how it ended.
import { address } from "./address.mjs";
import { may } from "./api.mjs";
import { h } from "./dom.mjs";
import { clock, hasEnded, parseQuantity, time } from "./format.mjs";
import { labelTexts } from "./run_list.mjs";
import { asksFor, endWords, hasCode, inputText, whyItWaits } from "./run_words.mjs";
import { brief, executed, visible } from "./text.mjs";
import { ago, facts, notice, section, words } from "./ui.mjs";

// The result repeats the beginning of each stream only; the log is cut where the policy says.
function cutStreams(result) {
  return ["stdout", "stderr"].filter((name) => {
    const kept = parseQuantity(result?.policy?.limits?.[name]);
    return kept !== undefined && result.usage[`${name}_bytes`] > kept;
  });
}

export function outcome(run) {
  const { phase, reason, message, result } = run.status;
  if (phase === "Pending")
    return notice("waiting", run.status.attempt > 0 ? "Waiting for its next attempt" : "Why it waits", h("p", {}, words(visible(whyItWaits(run)))));
  if (run.spec.cancelRequested && !hasEnded(phase)) return notice("stopped", "Being canceled", h("p", {}, run.status.killNow ? "Its processes are killed." : `Its processes get SIGTERM, and SIGKILL after ${visible(run.spec.terminationGrace ?? "a grace")}.`));
  if (run.status.eviction && !hasEnded(phase)) return notice("warn", "Being ended on its node", h("p", {}, visible(run.status.eviction.message)));
  if (!hasEnded(phase)) return undefined;
  // The message of an ended run repeats what its result gives as the reason, where that says more than the exit code.
  const said = message || (result?.status === "FAILED" ? "" : result?.reason);
  const cut = cutStreams(result);
  if (phase === "Succeeded" && cut.length === 0 && result?.status === "OK") return undefined;
  return notice({ Succeeded: "good", Failed: "bad", Canceled: "stopped" }[phase], { Succeeded: "It succeeded", Failed: "Why it failed", Canceled: "It was canceled" }[phase],
    said && h("p", {}, words(visible(said))),
    cut.length > 0 && h("p", {}, `Cut at the policy's limit: ${cut.join(" and ")}.`),
    h("p", { class: "words" }, endWords(run.status).map((each) => h("code", {}, visible(each)))));
}

const RERUN_OF = "paddock.dev/rerun-of";

const chips = (texts) => texts.map((text) => h("code", { class: "label" }, brief(text, 200)));
const several = (value) => (Array.isArray(value) ? chips(value) : brief(value, 400));

// Each leads to the runs that have it.
function labelLinks(metadata) {
  return labelTexts(metadata).map((text) => h("a", { class: "label", href: address(["runs"], { q: text }) }, h("code", {}, brief(text, 200))));
}

function origin({ metadata }) {
  const before = metadata.annotations?.[RERUN_OF];
  return before && h("a", { href: address(["runs", metadata.namespace, before]) }, visible(before));
}

function factsOf(run) {
  const { spec, status, metadata } = run;
  return facts([
    ["Command", !hasCode(spec) && h("code", { class: "command-line" }, visible(executed(spec)))],
    ["Node", status.nodeName && h("a", { href: address(["nodes", status.nodeName]) }, visible(status.nodeName))],
    ["Exit code", status.result && hasEnded(status.phase) ? String(status.result.rc) : undefined],
    ["Type", visible(spec.type)],
    ["Attempt", status.attempt > 0 ? String(status.attempt) : undefined],
    ["Created", h("span", {}, ago(metadata.creationTimestamp), " ago", status.createdBy && ` by ${visible(status.createdBy)}`)],
    ["Started", status.startedAt && clock(time(status.startedAt))],
    ["Finished", status.finishedAt && clock(time(status.finishedAt))],
    ["Once more of", origin(run)],
    ["Workspace", spec.workspace && h("a", { href: address(["storage", "workspaces", metadata.namespace, spec.workspace]) }, visible(spec.workspace))],
    ...asksFor(spec).map(([name, value]) => [name, several(value)]),
    ["Grants", (status.grants ?? []).map(visible).join(", ")],
    ["Published", status.publishedVersion && `${visible(spec.publish)}@${status.publishedVersion}`],
    ["What it did", may("audit:read") && h("a", { href: address(["audit"], { session: metadata.uid }) }, "its events in the audit log")],
    ["Labels", labelLinks(metadata)],
  ]);
}

const source = (title, text) => text && [h("h3", {}, title), h("pre", { class: "json", tabindex: "0", "aria-label": title }, visible(text))];

export function aboutSection(run) {
  return section("About", { id: "about" }, factsOf(run));
}

// Shows the program of a code run, which no workspace holds.
export function codeSection({ spec }) {
  return hasCode(spec) && section("Code", { id: "code" }, source("Python", spec.code), source("Input", inputText(spec)));
}

// What one asks first: what ran, where, for whom.
export function lede(run) {
  const { spec, status } = run;
  const rc = status.result && hasEnded(status.phase) ? `rc ${status.result.rc}` : "";
  return h("p", { class: "lede" }, h("code", {}, brief(executed(spec), 240)),
    h("span", { class: "faint" }, [visible(spec.type), status.nodeName && `on ${visible(status.nodeName)}`, status.createdBy && `by ${visible(status.createdBy)}`, rc]
      .filter(Boolean).join(" · ")));
}
