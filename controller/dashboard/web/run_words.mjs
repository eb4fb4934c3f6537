// What a run asked for and what became of it, in words. Pure.
import { PHASES, bytes, count, hasEnded, parseQuantity } from "./format.mjs";

export const WAY = PHASES.slice(0, 4);

// How far on its way it came: an ended run has no phase of the way any more, but times of what it went through.
export function reached({ phase, scheduledAt, startedAt, timingsMs = {}, result }) {
  const at = WAY.indexOf(phase);
  if (at >= 0) return at;
  if (startedAt || "run" in timingsMs || result?.duration_ms > 0) return 3;
  if ("environment" in timingsMs || "workspace" in timingsMs) return 2;
  return scheduledAt ? 1 : 0;
}

// The one word to look up: what the lists show, and a second only where it says what was denied or reached.
export function endWords({ reason, result }) {
  const code = result?.code && result.code !== reason ? result.code : "";
  return [reason, code].filter(Boolean);
}

// The controller's own sentence, whole: what stands against each node, what would help, and the place in the queue.
export const whyItWaits = ({ status }) => status.message || "The scheduler has not looked at it yet.";

const domains = ({ enabled, allowDomains = [], loopback } = {}) =>
  (!enabled ? (loopback === false ? "none, not even loopback" : "") : allowDomains.length ? allowDomains.join(", ") : "");

export function resourcesText({ cpu, memory, disk, accelerators } = {}) {
  return [cpu && count(cpu, "core"), memory && bytes(parseQuantity(memory)), disk && `${bytes(parseQuantity(disk))} of disk`,
    accelerators && `${accelerators.count} × ${accelerators.kind}`].filter(Boolean).join(", ");
}

export function retryText(retry) {
  if (!retry) return "";
  const after = (retry.on ?? []).length ? ` after ${retry.on.join(", ")}` : "";
  return `${count(retry.maxAttempts ?? 1, "attempt")}${after}, first pause ${retry.backoff ?? "10s"}, longest ${retry.maxBackoff ?? "10m"}`;
}

const tolerationText = ({ key, operator, value, effect }) => `${key || "every taint"}${operator === "Exists" || !value ? "" : `=${value}`}${effect ? `:${effect}` : ""}`;
const secretText = ({ name, key, variable }) => `${name}${key ? `/${key}` : ""}${variable ? ` as ${variable}` : ""}`;
const volumeText = ({ name, version }) => (version ? `${name}@${version}` : name);
const pairs = (object = {}) => Object.entries(object).map(([key, value]) => `${key}=${value}`);

// What of its spec one asks for, as pairs of a name and text or a list of texts; what is not given is left out.
export function asksFor(spec) {
  const limits = pairs(spec.sandbox?.limits);
  return [
    ["Asks for", resourcesText(spec.resources)],
    ["Timeout", [spec.timeout, spec.terminationGrace && `${spec.terminationGrace} of grace`].filter(Boolean).join(", then ")],
    ["Deadline", spec.deadline && `${spec.deadline} after its creation`],
    ["Retry", retryText(spec.retry)],
    ["Requirements", spec.requirements],
    ["Standard input", spec.stdinFile],
    ["Artifacts from", spec.artifacts?.dirs],
    ["Volumes", (spec.volumes ?? []).map(volumeText)],
    ["Publishes to", spec.publish],
    ["Secrets", (spec.secrets ?? []).map(secretText)],
    ["Only on nodes with", pairs(spec.nodeSelector)],
    ["Tolerates", (spec.tolerations ?? []).map(tolerationText)],
    ["Weakest level", spec.sandboxLevel],
    ["Network", domains(spec.sandbox?.network)],
    ["Own limits", limits],
    ["Environment", pairs(spec.sandbox?.env)],
    ["Host mounts", (spec.sandbox?.hostMounts ?? []).map(({ hostPath, sandboxPath, mode }) => `${hostPath} at ${sandboxPath} (${mode ?? "ro"})`)],
    ["Priority", spec.priority ? String(spec.priority) : ""],
    ["Profile", spec.profile],
  ].filter(([, value]) => value && value.length > 0);
}

// The run itself has the only copy of its code and input.
export const hasCode = (spec) => spec.type === "code";
export const inputText = (spec) => (spec.inputData === undefined || spec.inputData === null ? "" : JSON.stringify(spec.inputData, null, 2));

export function neverStarted(run) {
  return hasEnded(run.status.phase) && reached(run.status) < 3;
}
