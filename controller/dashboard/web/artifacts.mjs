// What a run left behind, and what was left out, by which rule.
import { MOST_BYTES, artifactPath, download } from "./api.mjs";
import { fill, h } from "./dom.mjs";
import { allButton, fileTree, reader } from "./file_tree.mjs";
import { bytes, count, hasEnded } from "./format.mjs";
import { brief, visible } from "./text.mjs";
import { command, empty, grid, section, words } from "./ui.mjs";

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
  const from = reader(name, (file) => download(artifactPath(namespace, name, file.path), signal), { signal, trouble });
  let shown = "";
  const show = (run) => {
    const artifacts = run.status.artifacts ?? [];
    const left = run.status.leftOut ?? [];
    const version = JSON.stringify([artifacts, left, hasEnded(run.status.phase)]);
    if (version === shown) return;
    shown = version;
    const wanted = run.spec.artifacts?.dirs ?? [];
    if (wanted.length === 0 && artifacts.length === 0 && left.length === 0) return void fill(element);
    const total = artifacts.reduce((sum, each) => sum + (each.size ?? 0), 0);
    fill(element, section("Artifacts", { id: "artifacts", note: artifacts.length ? `${count(artifacts.length, "file")}, ${bytes(total)}` : "", actions: allButton(artifacts, total, from) }, trouble,
      artifacts.length > 0 ? fileTree(artifacts, from) : nothing(run, wanted), leftOut(left),
      total > MOST_BYTES && h("p", { class: "faint" }, "All of it: ", command(`paddock artifacts ${visible(name)}`))));
  };
  return { element, show };
}
