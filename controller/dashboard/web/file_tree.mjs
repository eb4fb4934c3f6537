// Files in their folders, to look at and to take away: a run's, a workspace's, a session's.
import { MOST_BYTES } from "./api.mjs";
import { openAtFirst, treeOf } from "./artifact_tree.mjs";
import { fill, h } from "./dom.mjs";
import { bytes, count } from "./format.mjs";
import { preview } from "./preview.mjs";
import { kindOf } from "./preview_kind.mjs";
import { busyButton, save } from "./save.mjs";
import { brief, visible } from "./text.mjs";
import { problem } from "./ui.mjs";
import { zip } from "./zip.mjs";

const AT_ONCE = 200;  // of a folder
const BESIDE = 4;  // requests

// How files are read, {path, size} -> Blob, of what; and where it is said what went wrong.
export function reader(name, read, { signal, trouble }) {
  return { name, read, signal, failed: (error) => fill(trouble, error && !signal.aborted && problem(error)) };
}

async function readAll(artifacts, read, progress) {
  const files = [];
  const waiting = [...artifacts.entries()];
  let done = 0;
  await Promise.all(Array.from({ length: BESIDE }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, artifact] = next;
      files[at] = { path: artifact.path, bytes: new Uint8Array(await (await read(artifact)).arrayBuffer()) };
      progress(`${++done} of ${artifacts.length}`);
    }
  }));
  return files;
}

export function allButton(artifacts, total, { read, failed, name }) {
  if (artifacts.length < 2 || artifacts.length > 65_000) return undefined;
  if (total > MOST_BYTES) return undefined;
  return busyButton({ class: "chip" }, ["Download all", "Reading…"],
    async (progress) => save(new Blob(zip(await readAll(artifacts, read, progress))), `${name}.zip`), failed);
}

function saveButton(file, { read, failed }) {
  if (file.size > MOST_BYTES) return h("span", { class: "faint", title: "Too large for a page: paddock artifacts" }, "CLI");
  return busyButton({ class: "small", "aria-label": `Save ${brief(file.path, 80)}` }, ["Save", "Saving…"], async () => save(await read(file), file.name), failed);
}

export function fileRow(file, from) {
  const box = h("div", { class: "preview", hidden: true });
  const name = h("code", { class: "path", title: file.digest && `SHA-256 ${visible(file.digest)}` }, visible(file.name));
  const look = kindOf(file) && h("button", { type: "button", class: "file-name", "aria-expanded": "false" }, name);
  if (look) {
    look.addEventListener("click", () => {
      box.hidden = !box.hidden;
      look.setAttribute("aria-expanded", String(!box.hidden));
      if (!box.hidden) preview(box, file, from);
      else fill(box);
    });
  }
  return h("li", { class: "file" }, h("div", { class: "file-row" }, look || h("span", { class: "file-name" }, name), h("span", { class: "file-size" }, bytes(file.size)), saveButton(file, from)), box);
}

// Its content becomes elements when it is opened: a run can leave ten thousand files.
function folderRow(folder, from, opened) {
  const inside = h("div");
  const element = h("details", { class: "folder" },
    h("summary", {}, h("code", { class: "path" }, `${visible(folder.name)}/`), " ", h("span", { class: "faint" }, `${count(folder.count, "file")}, ${bytes(folder.bytes)}`)), inside);
  const open = () => { if (!inside.firstChild) fill(inside, contents(folder, from, opened)); };
  element.addEventListener("toggle", open);
  if (opened(folder.path)) {
    element.open = true;
    open();
  }
  return h("li", {}, element);
}

function contents(folder, from, opened) {
  const rows = [...folder.folders.map((each) => () => folderRow(each, from, opened)), ...folder.files.map((each) => () => fileRow(each, from))];
  const list = h("ul", { class: "files" });
  const more = h("button", { type: "button", class: "small" });
  let shown = 0;
  const show = () => {
    list.append(...rows.slice(shown, shown + AT_ONCE).map((make) => make()));
    shown = Math.min(rows.length, shown + AT_ONCE);
    more.hidden = shown === rows.length;
    more.textContent = `Show more (${rows.length - shown} left)`;
  };
  more.addEventListener("click", show);
  show();
  return [list, more];
}

export function fileTree(files, from) {
  const root = treeOf(files);
  return h("div", { class: "tree" }, contents(root, from, openAtFirst(root)));
}
