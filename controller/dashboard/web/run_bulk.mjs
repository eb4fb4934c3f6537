// One thing done to several runs: named before, and each answered on its own.
import { act, collection, freshKey, get, may, post, remove, runPath, session } from "./api.mjs";
import { ask } from "./dialogs.mjs";
import { fill, h } from "./dom.mjs";
import { count } from "./format.mjs";
import { notAgain, runOf, valuesOf } from "./run_form_model.mjs";
import { doable, eachOf } from "./run_selection.mjs";
import { visible } from "./text.mjs";
import { icon, notice, words } from "./ui.mjs";

const pathOf = ({ metadata }) => runPath(metadata.namespace, metadata.name);

// The run that the list shows and no other of its name; what the controller cannot do anew it says itself.
async function runAgain({ metadata }, key) {
  const run = await get(runPath(metadata.namespace, metadata.name));
  if (run.metadata.uid !== metadata.uid) throw new Error("Another run has this name now.");
  if (notAgain(run)) throw new Error(notAgain(run));
  await post(collection("runs", metadata.namespace), runOf(run, valuesOf(run)), { key });
}

const ACTIONS = {
  cancel: {
    word: "Cancel", title: (runs) => `Cancel ${runs}?`, yes: "Cancel the runs", danger: true, done: "canceled", does: (row) => act({ path: pathOf(row), uid: row.metadata.uid }, "cancel", {}),
    about: "All their processes are ended, what they have written so far stays in their logs. This cannot be undone.",
  },
  again: { word: "Run again", title: (runs) => `Run ${runs} again?`, yes: "Run again", done: "started", does: runAgain, about: "Each with the same files, settings and labels, under a new name." },
  away: {
    word: "Delete", title: (runs) => `Delete ${runs}?`, yes: "Delete the runs", danger: true, done: "deleted", does: (row) => remove(pathOf(row), row.metadata.uid),
    about: "Their records, logs and artifacts are gone then. What they published in volumes, and what the audit log says of them, stays.",
  },
};

// The names, each with what became of it: `tell(row, error)`.
function nameList(rows, { done }) {
  const spaces = !session.namespace && new Set(rows.map(({ metadata }) => metadata.namespace)).size > 1;
  const lines = new Map(rows.map((row) => [row, h("li", {}, h("code", {}, `${spaces ? `${visible(row.metadata.namespace)}/` : ""}${visible(row.metadata.name)}`))]));
  const marks = new Map(rows.map((row) => [row, lines.get(row).appendChild(h("span", { class: "bulk-mark" }))]));
  const tell = (row, error) => fill(marks.get(row), error
    ? h("span", { class: "tone-bad" }, icon("bad"), h("span", {}, words(visible(error.message)), error.code && [" ", h("code", {}, visible(error.code))]))
    : h("span", { class: "tone-good" }, icon("good"), done));
  return { element: h("ul", { class: "bulk-list", tabindex: "0", "aria-label": "Runs" }, [...lines.values()]), tell };
}

// `then(row)` for each to which it was done; pressing once more tries only what failed.
function askFor(action, rows, { signal, then }) {
  const list = nameList(rows, action);
  const keys = new Map(rows.map((row) => [row, freshKey()]));
  let left = rows;
  ask({
    title: action.title(count(rows.length, "run")), danger: action.danger, signal, yes: action.yes,
    body: [h("p", {}, action.about), list.element],
    act: async () => {
      left = await eachOf(left, (row) => action.does(row, keys.get(row)), (row, error) => {
        list.tell(row, error);
        if (!error) then(row);
      });
      if (left.length > 0) throw new Error(`${left.length} of ${count(rows.length, "run")} could not be ${action.done}: why stands beside each. Once more tries these alone.`);
    },
    failed: (error) => notice("bad", error.message),
  });
}

// Below the list, while something is chosen. `show(rows, shown)`: the chosen of all, and how many rows one sees.
export function bulkBar({ signal, choose }) {
  const number = h("span", { class: "bulk-count", role: "status" });
  let able = doable([]);
  const then = ({ metadata }) => choose([metadata.uid], false);
  const buttons = Object.entries(ACTIONS).map(([name, action]) => {
    const element = h("button", { type: "button", class: action.danger && "danger-quiet", on: { click: () => askFor(action, able[name], { signal, then }) } });
    return { name, action, element };
  });
  let seen = [];
  const press = (chosen) => () => choose(seen, chosen);
  const every = h("button", { type: "button", class: "quiet", on: { click: press(true) } }, "Select all shown");
  const none = h("button", { type: "button", class: "quiet", on: { click: press(false) } }, "Clear");
  const element = h("div", { class: "bulk", role: "group", "aria-label": "Chosen runs", hidden: true }, number, buttons.map((each) => each.element), every, none);
  const show = (chosen, shown) => {
    seen = [...new Set([...shown, ...chosen].map(({ metadata }) => metadata.uid))];
    able = doable(chosen);
    element.hidden = chosen.length === 0 || !may("runs:write");
    number.textContent = `${count(chosen.length, "run")} selected`;
    for (const { name, action, element: button } of buttons) {
      button.hidden = able[name].length === 0;
      button.textContent = able[name].length === chosen.length ? action.word : `${action.word} ${able[name].length}`;
    }
    every.hidden = shown.every(({ metadata }) => chosen.some((each) => each.metadata.uid === metadata.uid));
  };
  return { element, show };
}
