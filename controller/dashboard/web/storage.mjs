// Workspaces, which runs read, and volumes, which runs publish.
import { address, pathWord, pathWords } from "./address.mjs";
import { collection, download, get, may, remove } from "./api.mjs";
import { ask } from "./dialogs.mjs";
import { fill, h } from "./dom.mjs";
import { fileTree, reader } from "./file_tree.mjs";
import { bytes, clock, count, time } from "./format.mjs";
import { listSection } from "./list_section.mjs";
import { liveObject } from "./live.mjs";
import { runSection } from "./run_section.mjs";
import { runLink } from "./run_table.mjs";
import { visible } from "./text.mjs";
import { ago, empty, facts, grid, heading, problem, section, skeleton, tellIn } from "./ui.mjs";

const link = (plural, { name, namespace }) => [h("a", { class: "row-link", href: address(["storage", plural, namespace, name]) }, visible(name)), h("span", { class: "namespace" }, visible(namespace))];
const newest = ({ status }) => [...(status?.versions ?? [])].sort((a, b) => b.version - a.version)[0];
const number = (value) => (value === undefined ? "–" : String(value));
const digest = (root) => h("code", { class: "faint", title: visible(root ?? "") }, visible(root ?? "–").slice(0, 12));

const WORKSPACES = {
  title: "Workspaces", id: "workspaces", plural: "workspaces", scope: "workspaces:read", numbers: [1, 2, 4],
  columns: ["Name", "Files", "Size", "Content", "Age"],
  row: ({ metadata, status = {} }) => [link("workspaces", metadata), number(status.files), status.bytes === undefined ? "–" : bytes(status.bytes), digest(status.root), ago(metadata.creationTimestamp)],
  none: "None yet: `paddock compute` makes one of the folder that it sends.",
};

const VOLUMES = {
  title: "Volumes", id: "volumes", plural: "volumes", scope: "workspaces:read", numbers: [1, 2, 3, 5],
  columns: ["Name", "Newest version", "Files", "Size", "Published by", "Age"],
  row: (volume) => {
    const last = newest(volume);
    return [link("volumes", volume.metadata), number(last?.version), number(last?.files), last ? bytes(last.bytes) : "–", last?.run ? runLink(volume.metadata.namespace, last.run) : "–", ago(last?.publishedAt ?? volume.metadata.creationTimestamp)];
  },
  none: "None yet: a run with `--publish NAME` makes one of its artifacts when it succeeds.",
};

export function storage(main, { signal, tell }) {
  fill(main, heading("Storage"), listSection(WORKSPACES, { signal, tell }), listSection(VOLUMES, { signal }));
}

// The tree, and each file when it is looked at.
async function showFiles(box, path, name, signal) {
  const trouble = h("div", { "aria-live": "polite" });
  try {
    const { entries } = await get(`${path}/tree`, { signal });
    const from = reader(name, (file) => download(`${path}/raw/${pathWords(file.path)}`, signal), { signal, trouble });
    fill(box, trouble, entries.length ? fileTree(entries, from) : h("p", { class: "faint" }, "It has no files."));
  } catch (error) {
    if (!signal.aborted) fill(box, problem(error));
  }
}

const workspaceFacts = ({ metadata, spec = {}, status = {} }) => facts([
  ["Files", status.files === undefined ? "none yet" : `${count(status.files, "file")}, ${bytes(status.bytes)}`],
  ["Source", visible(spec.source ?? "")], ["Created", h("span", {}, ago(metadata.creationTimestamp), " ago")], ["Content", status.root && digest(status.root)],
]);

function versionsSection(volume) {
  const rows = [...(volume.status?.versions ?? [])].sort((a, b) => b.version - a.version);
  return section("Versions", { id: "versions", note: rows.length ? String(rows.length) : "" }, rows.length === 0 ? h("p", { class: "faint" }, "No run has published one.")
    : grid(["Version", "Files", "Size", "By", "Published", "Content"], rows.map((each) => [String(each.version), String(each.files), bytes(each.bytes), each.run ? runLink(volume.metadata.namespace, each.run) : "–", clock(time(each.publishedAt)), digest(each.root)]), { label: "Versions", numbers: [0, 1, 2] }));
}

const KINDS = {
  workspaces: {
    one: "workspace",
    gone: "Runs of its files that have not started fail. Files that other workspaces or runs have too stay.",
    parts: (path, namespace, name, signal) => {
      const files = h("div", {}, skeleton(3));
      let root;
      return {
        rest: [section("Files", { id: "files" }, files), runSection({ title: "Runs of these files", selector: `spec.workspace=${name}`, namespace, search: name, signal })],
        head: workspaceFacts,
        changed: ({ status }) => {
          if (root === (status?.root ?? "")) return;
          root = status?.root ?? "";
          if (root) showFiles(files, path, name, signal);
          else fill(files, h("p", { class: "faint" }, "Nothing was sent yet."));
        },
      };
    },
  },
  volumes: {
    one: "volume",
    gone: "Every version of it is gone then, and runs that name it are refused. Runs that have begun keep what they see.",
    parts: () => ({ rest: [], head: versionsSection, changed: () => {} }),
  },
};

export function storagePage(main, { words: [plural, namespace, name], signal, tell }) {
  const kind = Object.hasOwn(KINDS, plural ?? "") && namespace && name ? KINDS[plural] : undefined;
  if (!kind) {
    tell("ended");
    return fill(main, empty("There is no such page", h("a", { href: "#/storage" }, "Go to the storage")));
  }
  const path = `${collection(plural, namespace)}/${pathWord(name)}`;
  const parts = kind.parts(path, namespace, name, signal);
  const trouble = h("div", { "aria-live": "polite" });
  const head = h("div", {}, skeleton(3));
  let shown;
  const askDelete = ({ metadata: { uid } }) => ask({
    title: `Delete ${kind.one} ${visible(name)}?`, danger: true, signal, yes: `Delete the ${kind.one}`, no: "Keep it", body: h("p", {}, kind.gone),
    act: async () => { await remove(path, uid); location.hash = "#/storage"; },
  });
  const away = h("button", { type: "button", class: "danger-quiet", hidden: true, on: { click: () => askDelete(shown) } }, "Delete");
  fill(main, h("nav", { class: "crumbs", "aria-label": "Where" }, h("a", { href: "#/storage" }, "Storage"), ` / ${plural} / `, visible(namespace)),
    heading(visible(name), h("div", { class: "head-actions" }, away)), trouble, head, parts.rest);
  return liveObject(path, collection(plural, namespace), name, {
    signal,
    changed: (now) => {
      shown = now;
      away.hidden = !now || !may("workspaces:write");
      if (!now) return fill(head, empty(`There is no such ${kind.one}`, h("p", {}, "It may have been deleted, or be in another namespace.")));
      parts.changed(now);
      return fill(head, parts.head(now));
    },
    tell: tellIn(trouble, head, tell),
  });
}
