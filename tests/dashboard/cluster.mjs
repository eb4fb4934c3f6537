// The instance under test, by its API.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { PROGRAMS } from "./programs.mjs";

export const settings = JSON.parse(process.env.DASHBOARD_TEST);
const BASE = "/apis/paddock.dev/v1alpha1";
const RUNS = `${BASE}/namespaces/default/runs`;
const WORKSPACES = `${BASE}/namespaces/default/workspaces`;

export async function api(method, path, body, type = "application/json") {
  const answer = await fetch(settings.url + path, {
    method, headers: { Authorization: `Bearer ${settings.token}`, "Content-Type": type },
    body: body === undefined ? undefined : type === "application/json" ? JSON.stringify(body) : body,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

// Makes a workspace with every program that the tests run.
export async function makeWorkspace() {
  await api("POST", WORKSPACES, { apiVersion: "paddock.dev/v1alpha1", kind: "Workspace", metadata: { name: "programs" } });
  const entries = [];
  for (const [path, text] of Object.entries(PROGRAMS).sort()) {
    const digest = createHash("sha256").update(text).digest("hex");
    await api("PUT", `${WORKSPACES}/programs/blobs/${digest}`, text, "application/octet-stream");
    entries.push({ path, size: Buffer.byteLength(text), executable: false, digest });
  }
  await api("POST", `${WORKSPACES}/programs/tree`, { entries });
}

export const start = (name, command, spec = {}) => api("POST", RUNS, {
  apiVersion: "paddock.dev/v1alpha1", kind: "Run", metadata: { name }, spec: { type: "compute", command, workspace: "programs", ...spec },
});
export const run = (name) => api("GET", `${RUNS}/${name}`);
export const node = (verb) => api("POST", `${BASE}/nodes/${settings.node}/${verb}`, {});
export const toolToken = async (name) => (await api("POST", `${RUNS}/${name}/tool-tokens`, { operations: ["run:read"], ttl: "1h" })).status.token;

export const paddock = (...args) => execFileSync(settings.paddock, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
