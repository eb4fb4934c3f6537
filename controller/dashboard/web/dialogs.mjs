// Questions before something is done. What the controller answers to it stands in the dialog, as it says it.
import { fill, h } from "./dom.mjs";
import { problem } from "./ui.mjs";

let serial = 0;

// A dialog with a form; `act()` does it, and what it throws is shown. Closes with the page it belongs to.
export function ask({ title, body, yes, no = "Close", danger = false, wide = false, act, failed = problem, signal }) {
  const id = `dialog-${++serial}`;
  const answer = h("div", { "aria-live": "polite" });
  const does = h("button", { type: "submit", class: danger ? "danger" : "primary" }, yes);
  const leaves = h("button", { type: "button" }, no);
  const form = h("form", { method: "dialog" }, h("h2", { id }, title), body, answer, h("div", { class: "dialog-end" }, leaves, does));
  const dialog = h("dialog", { class: wide ? "dialog dialog-wide" : "dialog", "aria-labelledby": id }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (does.disabled) return;
    does.disabled = true;
    try {
      await act();
      dialog.close();
    } catch (error) {
      fill(answer, failed(error));
      answer.scrollIntoView({ block: "nearest" });
    } finally {
      does.disabled = false;
    }
  });
  leaves.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  signal.addEventListener("abort", () => dialog.close(), { once: true });
  document.body.append(dialog);
  dialog.showModal();
  (danger ? leaves : dialog.querySelector("input:not([type=checkbox]), textarea, select") ?? does).focus();
  return dialog;
}
