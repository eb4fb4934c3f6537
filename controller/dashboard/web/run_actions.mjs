// What can be done to a run: end it, have it once more, delete it.
import { listAddress } from "./address.mjs";
import { act, download, may, remove, runPath } from "./api.mjs";
import { ask } from "./dialogs.mjs";
import { fill, h, setText } from "./dom.mjs";
import { hasEnded } from "./format.mjs";
import { openRunForm } from "./run_form.mjs";
import { notAgain } from "./run_form_model.mjs";
import { busyButton, save } from "./save.mjs";
import { visible } from "./text.mjs";
import { problem } from "./ui.mjs";

const pathOf = ({ metadata }) => runPath(metadata.namespace, metadata.name);
const meant = (run) => ({ path: pathOf(run), uid: run.metadata.uid });

// A run that is being canceled may have long to go: it can be killed.
function askCancel(run, signal, then) {
  const kills = run.spec.cancelRequested;
  ask({
    title: `${kills ? "Kill" : "Cancel"} ${visible(run.metadata.name)}?`, danger: true, signal,
    yes: kills ? "Kill the run" : "Cancel the run", no: kills ? "Let it end" : "Keep it running",
    body: h("p", {}, `All its processes are ${kills ? "killed, without what is left of their grace" : "ended"}, what it has written so far stays in its log. This cannot be undone.`),
    act: async () => { await act(meant(run), "cancel", kills ? { now: true } : {}); then(); },
  });
}

function askDelete(run, signal) {
  ask({
    title: `Delete ${visible(run.metadata.name)}?`, danger: true, signal, yes: "Delete the run", no: "Keep it",
    body: h("p", {}, "Its record, its log and its artifacts are gone then. What it published in a volume, and what the audit log says of it, stays."),
    act: async () => { await remove(pathOf(run), run.metadata.uid); location.hash = listAddress("runs"); },
  });
}

// What became of it, signed by the controller.
function receiptButton(run, { signal, trouble }) {
  return busyButton({ title: "What became of it, signed: paddock verify" }, ["Receipt", "Reading…"],
    async () => save(await download(`${pathOf(run())}/receipt`, signal), `${run().metadata.name}.receipt.json`),
    (error) => fill(trouble, error && !signal.aborted && problem(error)));
}

// The buttons, and `show(run)` for each change of it. What goes wrong without a dialog is told in `trouble`.
export function runActions({ signal, trouble }) {
  let run;
  const cancel = h("button", { type: "button", class: "danger-quiet", on: { click: () => askCancel(run, signal, () => run.spec.cancelRequested || setText(cancel, "Canceling…")) } }, "Cancel run");
  const again = h("button", { type: "button", on: { click: () => openRunForm({ run, signal }) } }, "Run again");
  const away = h("button", { type: "button", class: "danger-quiet", on: { click: () => askDelete(run, signal) } }, "Delete");
  const receipt = receiptButton(() => run, { signal, trouble });
  const all = [receipt, again, cancel, away];
  const hide = () => { for (const each of all) each.hidden = true; };
  const show = (now) => {
    run = now;
    const ended = hasEnded(run.status.phase);
    const ending = Boolean(run.spec.cancelRequested);
    hide();
    receipt.hidden = !ended;
    if (!may("runs:write")) return;
    again.hidden = away.hidden = !ended;
    again.title = notAgain(run);
    again.disabled = Boolean(notAgain(run));
    cancel.hidden = ended;
    cancel.disabled = ending && (Boolean(run.status.killNow) || !run.spec.terminationGrace);
    setText(cancel, !ending ? "Cancel run" : cancel.disabled ? "Canceling…" : "Kill run");
  };
  hide();
  return { element: h("div", { class: "head-actions" }, all), show, hide };
}
