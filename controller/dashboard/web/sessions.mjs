// Sandbox sessions: what people and agents have open, under which policy, with which files.
import { address, listAddress, pathWord, pathWords } from "./address.mjs";
import { collection, download, get, may, remove } from "./api.mjs";
import { ask } from "./dialogs.mjs";
import { fill, h } from "./dom.mjs";
import { fileRow, reader } from "./file_tree.mjs";
import { bytes, clock, time } from "./format.mjs";
import { listSection } from "./list_section.mjs";
import { liveObject } from "./live.mjs";
import { brief, visible } from "./text.mjs";
import { ago, badge, command, empty, facts, heading, notice, problem, section, skeleton } from "./ui.mjs";

const MOST_FILES = 1000;  // of a folder
const TONES = { Ready: "good", Pending: "waiting", Ended: "stopped" };
const phaseBadge = ({ status }) => badge(status?.phase ?? "Pending", TONES[status?.phase] ?? "info");
const nodeLink = (name) => (name ? h("a", { href: address(["nodes", name]) }, visible(name)) : h("span", { class: "faint" }, "–"));
const pathOf = (namespace, name) => `${collection("sandboxes", namespace)}/${pathWord(name)}`;
const until = ({ status }) => (status?.endedAt ? clock(time(status.endedAt)) : status?.expiresAt ? clock(time(status.expiresAt)) : "–");

const row = (each) => [
  h("div", { class: "status" }, phaseBadge(each), each.status?.phase === "Ended" && h("span", { class: "reason" }, brief(each.status.reason, 60))),
  [h("a", { class: "row-link", href: address(["sessions", each.metadata.namespace, each.metadata.name]) }, visible(each.metadata.name)), h("span", { class: "namespace" }, visible(each.metadata.namespace))],
  nodeLink(each.status?.nodeName), visible(each.status?.createdBy ?? ""), ago(each.metadata.creationTimestamp), until(each),
];

const SESSIONS = {
  title: "Sandbox sessions", id: "sessions", plural: "sandboxes", scope: "runs:read", name: "sessions", numbers: [4],
  columns: ["Status", "Session", "Node", "By", "Age", "Ends"], row,
  none: "No session is open. `paddock sandbox create` makes one: files of its own, and a policy that never changes.",
};

export function sessions(main, { signal, tell }) {
  fill(main, heading("Sessions"), listSection(SESSIONS, { signal, tell }));
}

export const sessionsOfNode = (name, { signal }) =>
  listSection({ ...SESSIONS, title: "Sessions of this node", query: { fieldSelector: `status.nodeName=${name}` }, none: "None." }, { signal });

// Folders are asked for when they are opened: to list files is to use the session.
function folderOf(path, from, list) {
  const inside = h("div");
  const element = h("details", { class: "folder" }, h("summary", {}, h("code", { class: "path" }, path ? `${visible(path.split("/").at(-1))}/` : "/")), inside);
  element.addEventListener("toggle", async () => {
    if (!element.open) return fill(inside);
    try {
      const files = await list(path);
      return fill(inside, files.length === 0 ? h("p", { class: "faint" }, "Nothing.") : h("ul", { class: "files" }, files.slice(0, MOST_FILES).map(({ name, type, size }) => {
        const whole = path ? `${path}/${name}` : name;
        return type === "folder" ? h("li", {}, folderOf(whole, from, list)) : fileRow({ name, path: whole, size: size ?? 0 }, from);
      })), files.length > MOST_FILES && h("p", { class: "faint" }, `The first ${MOST_FILES} of ${files.length}.`));
    } catch (error) {
      return fill(inside, problem(error));
    }
  });
  return element;
}

function filesSection(namespace, name, signal) {
  const trouble = h("div", { "aria-live": "polite" });
  const at = (path) => `${pathOf(namespace, name)}/files${path ? `/${pathWords(path)}` : ""}`;
  const from = reader(name, (file) => download(at(file.path), signal), { signal, trouble });
  return section("Files", { id: "files", note: "as they are when a folder is opened, which counts as use of the session" }, trouble,
    h("div", { class: "tree" }, folderOf("", from, async (path) => (await get(at(path), { signal })).files)));
}

function factsOf({ metadata, spec, status }) {
  const { security = {} } = spec;
  const { network = {} } = security;
  const chips = (texts) => texts.map((text) => h("code", { class: "label" }, brief(text, 120)));
  return facts([
    ["Node", status.nodeName && nodeLink(status.nodeName)],
    ["Created", h("span", {}, ago(metadata.creationTimestamp), " ago", status.createdBy && ` by ${visible(status.createdBy)}`)],
    ["Ready since", status.readyAt && clock(time(status.readyAt))],
    [status.endedAt ? "Ended" : "Ends at the latest", until({ status })],
    ["Ends unused after", visible(spec.idleTimeout ?? "")],
    ["Network", network.enabled ? chips(network.allowDomains ?? []) : network.loopback === false ? "none, not even loopback" : "none but loopback"],
    ["Host mounts", chips((security.hostMounts ?? []).map((each) => `${each.hostPath} at ${each.sandboxPath} (${each.mode ?? "ro"})`))],
    ["Limits", chips(Object.entries(security.limits ?? {}).map(([key, value]) => (/Bytes$/.test(key) ? `${key}=${bytes(value)}` : `${key}=${value}`)))],
    ["Programs", chips(security.toolAllowlist ?? [])],
    ["Labels", chips(Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`))],
    ["What it did", may("audit:read") && h("a", { href: address(["audit"], { session: metadata.uid }) }, "its events in the audit log")],
  ]);
}

const noSuchSession = () => empty("There is no such session", h("p", {}, "It may have been destroyed, or be in another namespace."), command("paddock sandbox list"), h("p", {}, h("a", { href: "#/sessions" }, "Go to the sessions")));

const endNotice = ({ status = {} }) => status.phase === "Ended" && notice("stopped", "It has ended", h("p", {}, visible(status.message ?? "")), h("p", { class: "words" }, h("code", {}, visible(status.reason ?? ""))));

function askDestroy({ metadata: { namespace, name, uid } }, signal) {
  ask({
    title: `Destroy ${visible(name)}?`, danger: true, signal, yes: "Destroy the session", no: "Keep it",
    body: h("p", {}, "What runs in it is killed, and its files are gone. This cannot be undone."),
    act: async () => { await remove(pathOf(namespace, name), uid); location.hash = listAddress("sessions"); },
  });
}

export function sessionPage(main, { words: [namespace, name], signal, tell }) {
  let seen;
  const state = h("span", { class: "head-status", "aria-live": "polite" });
  const destroy = h("button", { type: "button", class: "danger-quiet", hidden: true }, "Destroy");
  const trouble = h("div", { "aria-live": "polite" });
  const why = h("div", { "aria-live": "polite" });
  const about = h("div", {}, skeleton(5));
  const files = h("div");
  destroy.addEventListener("click", () => askDestroy(seen, signal));
  fill(main, h("nav", { class: "crumbs", "aria-label": "Where" }, h("a", { href: "#/sessions" }, "Sessions"), " / ", visible(namespace)),
    heading(visible(name), state, h("div", { class: "head-actions" }, destroy)), trouble, why, about, files);
  const gone = () => {
    destroy.hidden = true;
    fill(files);
    if (seen) return fill(why, notice("stopped", "This session was destroyed"));
    return fill(about, noSuchSession());
  };
  liveObject(pathOf(namespace, name), collection("sandboxes", namespace), name, {
    signal,
    changed: (now) => {
      if (!now) return gone();
      if (!seen && now.status?.phase === "Ready") fill(files, filesSection(namespace, name, signal));
      seen = now;
      fill(state, phaseBadge(now));
      destroy.hidden = !may("runs:write");
      fill(why, endNotice(now));
      if (now.status?.phase === "Ended") fill(files);
      return fill(about, section("About", { id: "about" }, factsOf(now)));
    },
    tell: (to, error) => {
      tell(to);
      fill(trouble, error && problem(error));
      if (to === "refused" && !seen) fill(about);
    },
  });
}
