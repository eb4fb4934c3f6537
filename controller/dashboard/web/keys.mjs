// Everything by keyboard: where to go, what to filter, which row to open.
import { here, listAddress } from "./address.mjs";
import { h } from "./dom.mjs";

const KEYS = [
  ["g r", "runs"], ["g q", "queue"], ["g s", "sessions"], ["g w", "storage"], ["g n", "nodes"], ["g c", "access"], ["g a", "audit"],
  ["/", "filter what is listed"], ["j k", "next and previous row"], ["Enter", "open it"], ["x", "select it"],
  ["f", "a run's page: follow the log"], ["u", "back to the list"], ["?", "this help"], ["Esc", "close, or leave the filter"],
];

export function keyHelp() {
  if (document.querySelector("dialog[open]")) return;
  const close = h("button", { type: "button", class: "primary" }, "Close");
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", { class: "keys" }, KEYS.map(([keys, what]) =>
      h("div", {}, h("dt", {}, keys.split(" ").map((key) => h("kbd", {}, key))), h("dd", {}, what)))),
    h("div", { class: "dialog-end" }, close));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const types = (element) => element?.matches?.("input:not([type=checkbox]), select, textarea");

function moveRow(step) {
  const rows = [...document.querySelectorAll("main a.row-link")];
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement.closest("tr")?.querySelector("a.row-link") ?? document.activeElement);
  rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + step))].focus();
}

function back() {
  const { words } = here();
  if (words.length > 1) location.hash = listAddress(words[0]);
}

export function bindKeys(pages, loggedIn) {
  let after = "";
  document.addEventListener("keydown", (event) => {
    if (!loggedIn() || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && types(document.activeElement)) return document.activeElement.blur();
    if (types(document.activeElement)) return undefined;
    const page = after === "g" && pages.find(({ key }) => key === event.key);
    after = event.key === "g" && after !== "g" ? "g" : "";
    if (page) location.hash = `#/${page.path}`;
    else if (event.key === "?") keyHelp();
    else if (event.key === "j") moveRow(1);
    else if (event.key === "k") moveRow(-1);
    else if (event.key === "x") document.activeElement.closest("tr")?.querySelector("input.choose")?.click();
    else if (event.key === "u") back();
    else if (event.key === "f") document.querySelector("main [data-key=f]")?.click();
    else if (event.key === "/") {
      const filter = document.querySelector("main input[type=search]");
      if (!filter) return undefined;
      event.preventDefault();
      filter.focus();
      filter.select();
    }
    return undefined;
  });
}
