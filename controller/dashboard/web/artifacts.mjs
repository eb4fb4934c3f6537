// What a run left behind, to take away; and what was left out, by which rule.
import { artifactPath, download } from "./api.mjs";
import { fill, h, setText } from "./dom.mjs";
import { bytes, count, hasEnded } from "./format.mjs";
import { MOST_BYTES, save } from "./save.mjs";
import { brief, visible } from "./text.mjs";
import { badge, command, empty, grid, problem, section } from "./ui.mjs";

function saveButton(place, artifact, { signal, trouble }) {
  if (artifact.size > MOST_BYTES) return h("span", { class: "faint", title: "Too large for a page" }, "CLI");
  const button = h("button", { type: "button", class: "small", "aria-label": `Save ${brief(artifact.path, 80)}` }, "Save");
  button.addEventListener("click", async () => {
    button.disabled = true;
    setText(button, "Saving…");
    try {
      save(await download(artifactPath(place.namespace, place.name, artifact.path), signal), artifact.path.split("/").at(-1));
      fill(trouble);
    } catch (error) {
      if (!signal.aborted) fill(trouble, problem(error));
    } finally {
      button.disabled = false;
      setText(button, "Save");
    }
  });
  return button;
}

export function artifactsSection(namespace, name, { signal }) {
  const element = h("div");
  const trouble = h("div", { "aria-live": "polite" });
  let shown = "";
  const show = (run) => {
    const artifacts = run.status.artifacts ?? [];
    const left = run.status.leftOut ?? [];
    const version = JSON.stringify([artifacts, left, hasEnded(run.status.phase)]);
    if (version === shown) return;
    shown = version;
    const wanted = run.spec.artifacts?.dirs ?? [];
    if (wanted.length === 0 && artifacts.length === 0 && left.length === 0) return void fill(element);
    const note = artifacts.length ? `${count(artifacts.length, "file")}, ${bytes(artifacts.reduce((sum, each) => sum + (each.size ?? 0), 0))}` : "";
    fill(element, section("Artifacts", { id: "artifacts", note }, trouble,
      artifacts.length > 0 && grid(["File", "Size", "SHA-256", ""], artifacts.map((each) => [
        h("code", { class: "path" }, visible(each.path)), bytes(each.size), h("code", { class: "faint", title: visible(each.digest) }, visible(each.digest).slice(0, 12)),
        saveButton({ namespace, name }, each, { signal, trouble })]), { label: "Artifacts", name: "artifacts", numbers: [1] }),
      artifacts.length === 0 && (hasEnded(run.status.phase) ? empty("Nothing came back", h("p", {}, `It was asked to leave files in ${wanted.map((dir) => brief(dir, 60)).join(", ") || "no folder"}.`))
        : h("p", { class: "faint" }, `Files in ${wanted.map((dir) => brief(dir, 60)).join(", ")} come back when it ends.`)),
      left.length > 0 && [h("h3", {}, "Left out"), grid(["File", "Rule"], left.map((each) => [
        h("code", { class: "path" }, visible(each.path)), h("span", {}, badge("Left out", "warn"), " ", visible(each.rule))]), { label: "Left out" })],
      artifacts.some((each) => each.size > MOST_BYTES) && h("p", { class: "faint" }, "Files over 256 MiB: ", command(`paddock artifacts ${visible(name)}`))));
  };
  return { element, show };
}
