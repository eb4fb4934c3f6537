// What became of a run: what it was refused, what it used, what held it.
import { h } from "./dom.mjs";
import { bytes, count, duration, hasEnded, parseQuantity, requested, sortEnforced } from "./format.mjs";
import { brief, visible } from "./text.mjs";
import { badge, facts, grid, meter, section } from "./ui.mjs";

const LEVEL_TONES = { kernel: "good", broker: "good", polled: "warn", advisory: "warn", none: "bad" };

export function denialsSection(run) {
  const denials = run.status.result?.denials ?? [];
  if (denials.length === 0) return undefined;
  return section("Denials", { id: "denials", note: `${count(denials.length, "thing")} that the sandbox stopped` },
    h("ul", { class: "denials" }, denials.map((each) => h("li", { class: "denial" },
      h("p", { class: "denial-what" }, badge("Denied", "bad"), h("strong", {}, visible(each.what)),
        each.target && [" on ", h("code", {}, brief(each.target, 300))], each.executable && [" by ", h("code", {}, brief(each.executable, 300))],
        each.count > 1 && h("span", { class: "faint" }, ` ${each.count} times`)),
      facts([["Rule", each.rule && h("code", {}, visible(each.rule))], ["Would allow it", visible(each.remedy)]])))));
}

export function usageSection(run) {
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

export function enforcedSection(run) {
  const rows = sortEnforced(run.status.result?.enforced);
  if (rows.length === 0 && hasEnded(run.status.phase)) return undefined;
  if (rows.length === 0) return section("Enforced", { id: "enforced" }, h("p", { class: "faint" }, "The node reports what was in force when the run has ended; what it has to be is the policy below."));
  const applied = rows.filter(([, each]) => each.applied).length;
  return section("Enforced", { id: "enforced", note: `${applied} of ${rows.length} in force` },
    grid(["Capability", "In force", "Level", "Asked for", "Mechanism"], rows.map(([name, each]) => [
      h("strong", {}, visible(name)), each.applied ? badge("Yes", "good") : badge("No", each.level === "none" ? "stopped" : "warn"),
      h("span", { class: `level tone-${LEVEL_TONES[each.level] ?? "info"}` }, visible(each.level)), h("code", {}, brief(requested(each.requested), 80)),
      h("div", {}, visible(each.mechanism), each.details && h("p", { class: "faint" }, visible(each.details)))]), { label: "What was enforced", name: "enforced" }));
}

export function policySection(run) {
  const policy = run.status.result?.policy ?? run.status.policy;
  return policy && section("Policy", { id: "policy" }, h("details", {}, h("summary", {}, "The effective sandbox policy, as JSON"),
    h("pre", { class: "json", tabindex: "0" }, visible(JSON.stringify(policy, null, 2)))));
}
