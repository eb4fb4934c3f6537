// The form of a new run, and of one that is to run once more with changes.
import { address } from "./address.mjs";
import { collection, keyOfBody, post, session } from "./api.mjs";
import { ask } from "./dialogs.mjs";
import { h } from "./dom.mjs";
import { FieldError, TYPES, keptEnv, runOf, valuesOf } from "./run_form_model.mjs";
import { brief, visible } from "./text.mjs";
import { notice, problem } from "./ui.mjs";

const HINTS = {
  command: "any program, by its words", code: "Python, in the run itself", compute: "a command of a project's, by the rules of paddock compute",
};

function envHint(run) {
  const kept = Object.keys(keptEnv(run?.spec.sandbox?.env));
  return `NAME=value, one a line${kept.length ? `; kept as they are, with line breaks or spaces: ${brief(kept.join(", "), 200)}` : ""}`;
}

function fieldsOf(values, run) {
  const inputs = new Map();
  const field = (name, label, hint, tag = "input", attributes = {}) => {
    const input = h(tag, { id: `form-${name}`, name, autocomplete: "off", spellcheck: "false", "aria-describedby": hint && `hint-${name}`, ...attributes });
    input.value = values[name];
    inputs.set(name, input);
    return h("div", { class: "field", data: { field: name } }, h("label", { for: input.id }, label), input, hint && h("span", { class: "faint", id: `hint-${name}` }, hint));
  };
  const latest = h("input", { type: "checkbox", id: "form-latest" });
  inputs.set("latest", latest);
  const type = h("select", { id: "form-type", name: "type" }, TYPES.map((each) => h("option", { value: each }, `${each}: ${HINTS[each]}`)));
  inputs.set("type", type);
  type.value = values.type;
  const parts = [
    !run && h("div", { class: "field" }, h("label", { for: "form-type" }, "Type"), type),
    field("command", "Command", "words and quotes; no shell", "textarea", { rows: 2 }),
    field("code", "Code", "", "textarea", { rows: 8 }),
    field("input", "Input", "JSON, which the code finds as input_data", "textarea", { rows: 3 }),
    h("div", { class: "field-row" }, field("name", "Name", "made up if empty"), !session.namespace && !run && field("namespace", "Namespace"), !run && field("workspace", "Workspace", "whose files it reads")),
    run?.spec.workspace && h("div", { class: "field-check", data: { field: "latest" } }, latest, h("label", { for: "form-latest" }, `With the newest files of ${brief(run.spec.workspace, 80)}, not those of then`)),
    h("div", { class: "field-row" }, field("timeout", "Timeout", "such as 30m"), field("memory", "Memory limit", "such as 2Gi"), field("cpu", "Cores")),
    h("div", { class: "field-row" }, field("labels", "Labels", "key=value, one a line", "textarea", { rows: 2 }), field("env", "Environment", envHint(run), "textarea", { rows: 2 }),
      field("artifacts", "Artifacts from", "folders, one a line", "textarea", { rows: 2 })),
  ];
  return { parts, inputs };
}

// Opens it; `run` is the one that is to run again.
export function openRunForm({ run, signal }) {
  const values = valuesOf(run);
  if (session.namespace) values.namespace = session.namespace;
  const { parts, inputs } = fieldsOf(values, run);
  const body = h("div", { class: "fields" }, parts);
  const valueOf = (input) => (input.type === "checkbox" ? input.checked : input.tagName === "TEXTAREA" && input.value.trim() ? input.value : input.value.trim());
  const typed = () => ({ ...values, ...Object.fromEntries([...inputs].map(([name, input]) => [name, valueOf(input)])),
    ...(run && { type: run.spec.type, workspace: run.spec.workspace ?? "" }) });
  const fit = () => {
    const code = (run ? run.spec.type : inputs.get("type").value) === "code";
    for (const [name, isCode] of [["command", false], ["code", true], ["input", true]]) body.querySelector(`[data-field=${name}]`).hidden = isCode !== code;
  };
  inputs.get("type").addEventListener("change", fit);
  fit();
  const keyOf = keyOfBody();
  return ask({
    title: run ? `Run ${visible(run.metadata.name)} again` : "New run", body, yes: "Start", wide: true, signal,
    act: async () => {
      const now = typed();
      const body = runOf(run, now);
      const made = await post(collection("runs", now.namespace), body, { key: keyOf(body) });
      location.hash = address(["runs", made.metadata.namespace, made.metadata.name]);
    },
    failed: (error) => {
      if (!(error instanceof FieldError)) return problem(error);
      inputs.get(error.field)?.focus();
      return notice("bad", visible(error.message));
    },
  });
}
