// What a run left behind, to look at and to take away; and what was left out, by which rule.
import { artifactPath, download } from "./api.mjs";
import { openAtFirst, treeOf } from "./artifact_tree.mjs";
import { fill, h } from "./dom.mjs";
import { bytes, count, hasEnded } from "./format.mjs";
import { preview } from "./preview.mjs";
import { kindOf } from "./preview_kind.mjs";
import { MOST_BYTES, busyButton, save } from "./save.mjs";
import { brief, visible } from "./text.mjs";
import { command, empty, grid, problem, section, words } from "./ui.mjs";
import { zip } from "./zip.mjs";

const AT_ONCE = 200;  // of a folder
const BESIDE = 4;  // requests

// How they are read, and where it is said what went wrong.
function reader(namespace, name, { signal, trouble }) {
  const read = async (artifact) => download(artifactPath(namespace, name, artifact.path), signal);
  const failed = (error) => fill(trouble, error && !signal.aborted && problem(error));
  return { read, failed, place: { namespace, name }, signal };
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

function allButton(artifacts, total, { read, failed, place }) {
  if (artifacts.length < 2 || artifacts.length > 65_000) return undefined;
  if (total > MOST_BYTES) return h("span", { class: "faint" }, "All of it: ", command(`paddock artifacts ${visible(place.name)}`));
  return busyButton({ class: "chip" }, ["Download all", "Reading…"],
    async (progress) => save(new Blob(zip(await readAll(artifacts, read, progress))), `${place.name}.zip`), failed);
}

function saveButton(file, { read, failed }) {
  if (file.size > MOST_BYTES) return h("span", { class: "faint", title: "Too large for a page: paddock artifacts" }, "CLI");
  return busyButton({ class: "small", "aria-label": `Save ${brief(file.path, 80)}` }, ["Save", "Saving…"], async () => save(await read(file), file.name), failed);
}

function fileRow(file, from) {
  const box = h("div", { class: "preview", hidden: true });
  const name = h("code", { class: "path", title: `SHA-256 ${visible(file.digest)}` }, visible(file.name));
  const look = kindOf(file) && h("button", { type: "button", class: "file-name", "aria-expanded": "false" }, name);
  if (look) {
    look.addEventListener("click", () => {
      box.hidden = !box.hidden;
      look.setAttribute("aria-expanded", String(!box.hidden));
      if (!box.hidden) preview(box, from.place, file, from.signal);
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

function nothing(run, wanted) {
  const folders = wanted.map((dir) => brief(dir, 60)).join(", ");
  if (!hasEnded(run.status.phase)) return h("p", { class: "faint" }, `Files in ${folders} come back when it ends.`);
  return empty("Nothing came back", h("p", {}, `It was asked to leave files in ${folders || "no folder"}.`));
}

function leftOut(left) {
  return left.length > 0 && [h("h3", {}, "Left out"), grid(["File", "Rule"], left.map((each) => [
    h("code", { class: "path" }, visible(each.path)), h("span", {}, words(visible(each.rule)))]), { label: "Left out", name: "left-out" })];
}

export function artifactsSection(namespace, name, { signal }) {
  const element = h("div");
  const trouble = h("div", { "aria-live": "polite" });
  const from = reader(namespace, name, { signal, trouble });
  let shown = "";
  const show = (run) => {
    const artifacts = run.status.artifacts ?? [];
    const left = run.status.leftOut ?? [];
    const version = JSON.stringify([artifacts, left, hasEnded(run.status.phase)]);
    if (version === shown) return;
    shown = version;
    const wanted = run.spec.artifacts?.dirs ?? [];
    if (wanted.length === 0 && artifacts.length === 0 && left.length === 0) return void fill(element);
    const tree = treeOf(artifacts);
    fill(element, section("Artifacts", { id: "artifacts", note: tree.count ? `${count(tree.count, "file")}, ${bytes(tree.bytes)}` : "", actions: allButton(artifacts, tree.bytes, from) }, trouble,
      tree.count > 0 ? h("div", { class: "tree" }, contents(tree, from, openAtFirst(tree))) : nothing(run, wanted), leftOut(left)));
  };
  return { element, show };
}
