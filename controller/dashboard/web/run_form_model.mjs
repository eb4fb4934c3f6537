// A new run from what somebody typed, or from one that ended and what is to be different. Pure. Only what cannot be
// written as JSON is refused here: what may be asked for the controller knows.
import { commandLine } from "./text.mjs";

export class FieldError extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

export const TYPES = ["command", "code", "compute"];
const RERUN_OF = "paddock.dev/rerun-of";
const MADE_UP = /(?<=.)-[bcdfghjklmnpqrstvwxz2456789]{5}$/;
const LONGEST_BASE = 240;

const lines = (object = {}) => Object.entries(object).map(([key, value]) => (value === "" ? key : `${key}=${value}`)).join("\n");

// "KEY=VALUE" a line -> an object without a prototype's names in it.
export function pairsOf(field, text) {
  const pairs = text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
    const at = line.indexOf("=");
    const key = at < 0 ? line : line.slice(0, at);
    if (!key) throw new FieldError(field, `"${line}" has no name before its "=".`);
    return [key, at < 0 ? "" : line.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}

function jsonOf(field, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FieldError(field, `It is no JSON: ${error.message}`);
  }
}

// What the form shows at first; of a run, what that was.
export function valuesOf(run) {
  const spec = run?.spec ?? {};
  return {
    name: "", namespace: run?.metadata.namespace ?? "default", type: spec.type ?? "command",
    command: commandLine(spec.command), code: spec.code ?? "",
    input: spec.inputData === undefined || spec.inputData === null ? "" : JSON.stringify(spec.inputData, null, 2),
    workspace: spec.workspace ?? "", latest: false,
    artifacts: (spec.artifacts?.dirs ?? []).join("\n"),
    timeout: spec.timeout ?? "", memory: spec.sandbox?.limits?.memory ?? "", cpu: spec.resources?.cpu ? String(spec.resources.cpu) : "",
    env: lines(lineEnv(spec.sandbox?.env)), labels: lines(run?.metadata.labels),
  };
}

// As `paddock rerun` calls it: the first one's name and a suffix that the controller makes.
export const baseName = (name) => `${name.replace(MADE_UP, "").slice(0, LONGEST_BASE).replace(/[-.]+$/, "")}-`;

const given = (text, value) => (text === "" ? undefined : value);

// An object without what is undefined; undefined when nothing is left.
function compact(object) {
  const pairs = Object.entries(object).filter(([, value]) => value !== undefined);
  return pairs.length ? Object.fromEntries(pairs) : undefined;
}

// A text area has no carriage returns: what nobody changed is what it was, not what that made of it.
const same = (typed, before) => typed.replaceAll("\r\n", "\n").replaceAll("\r", "\n") === before.replaceAll("\r\n", "\n").replaceAll("\r", "\n");

// A value with line breaks or spaces around it would be other variables, or another value, once it is read back: such ones
// are not in the field, and stay as they are.
const isLine = ([name, value]) => !/[\r\n]/.test(value) && `${name}=${value}` === `${name}=${value}`.trim();
const lineEnv = (env = {}) => Object.fromEntries(Object.entries(env).filter(isLine));
export const keptEnv = (env = {}) => Object.fromEntries(Object.entries(env).filter((pair) => !isLine(pair)));

function withLimits(sandbox = {}, { memory, env }) {
  const variables = { ...keptEnv(sandbox.env), ...pairsOf("env", env) };
  return compact({ ...sandbox, limits: compact({ ...sandbox.limits, memory: given(memory, memory) }), env: Object.keys(variables).length ? variables : undefined });
}

function coresOf(text) {
  if (!/^\d*$/.test(text)) throw new FieldError("cpu", "Cores are a whole number.");
  return given(text, Number(text));
}

// What is executed; a command that nobody changed stays the list that it was.
function program(before, values) {
  if (values.type === "code") return { code: before && same(values.code, before.code ?? "") ? before.code : values.code, inputData: given(values.input.trim(), values.input.trim() && jsonOf("input", values.input)) };
  const unchanged = before && same(values.command, commandLine(before.command));
  return { command: unchanged ? before.command : values.command };
}

function specOf(run, values) {
  const before = run?.spec ?? {};
  const { cancelRequested, toolBundle, workspaceRoot, ...kept } = before;
  const dirs = values.artifacts.split("\n").map((each) => each.trim()).filter(Boolean);
  // The files of then, unless those of now are wanted.
  const root = run && values.workspace && values.workspace === before.workspace && !values.latest ? run.status?.workspaceRoot : undefined;
  return compact({
    ...kept, type: values.type, ...program(run?.spec, values), workspace: given(values.workspace, values.workspace), workspaceRoot: root,
    artifacts: dirs.length ? { ...before.artifacts, dirs } : undefined,
    timeout: given(values.timeout, values.timeout),
    resources: compact({ ...before.resources, cpu: coresOf(values.cpu) }), sandbox: withLimits(before.sandbox, values),
  });
}

// The object to create; throws a FieldError.
export function runOf(run, values) {
  const labels = pairsOf("labels", values.labels);
  const metadata = compact({
    name: given(values.name, values.name),
    generateName: values.name ? undefined : run ? baseName(run.metadata.name) : "run-",
    labels: Object.keys(labels).length ? labels : undefined,
    annotations: run && { [RERUN_OF]: run.metadata.name },
  });
  return { apiVersion: "paddock.dev/v1alpha1", kind: "Run", metadata, spec: specOf(run, values) };
}

// Why a run cannot be had once more; empty if it can.
export const notAgain = (run) => (run.status?.toolBundle ? "The MCP servers that it had are not kept: start it where it was started." : "");
