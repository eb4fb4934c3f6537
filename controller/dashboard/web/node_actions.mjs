// What an operator does to a node: close and open it, empty it, forget it.
import { pathWord } from "./address.mjs";
import { act, collection, may, remove } from "./api.mjs";
import { ask } from "./dialogs.mjs";
import { h } from "./dom.mjs";
import { visible } from "./text.mjs";

const pathOf = (node) => `${collection("nodes")}/${pathWord(node.metadata.name)}`;
const meant = (node) => ({ path: pathOf(node), uid: node.metadata.uid });

function askCordon(node, signal) {
  ask({
    title: `Cordon ${visible(node.metadata.name)}?`, signal, yes: "Cordon", no: "Leave it open",
    body: h("p", {}, "It gets no new runs and sessions; what is there goes on. Uncordon it to open it again."),
    act: () => act(meant(node), "cordon"),
  });
}

function askDrain(node, signal) {
  const grace = h("input", { id: "drain-grace", autocomplete: "off", spellcheck: "false" });
  grace.value = "5m";
  ask({
    title: `Drain ${visible(node.metadata.name)}?`, danger: true, signal, yes: "Drain the node", no: "Leave it open",
    body: [h("p", {}, "It gets nothing new, and what still runs there after the grace is ended. Uncordon it to end the drain."),
      h("div", { class: "field" }, h("label", { for: "drain-grace" }, "Grace"), grace, h("span", { class: "faint" }, "such as 30s, 5m or 2h"))],
    act: () => act(meant(node), "drain", { grace: grace.value.trim() }),
  });
}

function askUncordon(node, signal) {
  ask({
    title: `Uncordon ${visible(node.metadata.name)}?`, signal, yes: "Uncordon", no: "Leave it closed",
    body: h("p", {}, node.spec?.drain ? "The drain ends, and it gets runs again." : "It gets runs and sessions again."),
    act: () => act(meant(node), "uncordon"),
  });
}

function askRemove(node, signal) {
  ask({
    title: `Remove ${visible(node.metadata.name)}?`, danger: true, signal, yes: "Remove the node", no: "Keep it",
    body: h("p", {}, "For a host that is gone for good: it is forgotten and its credential ends. To come back it has to join anew."),
    act: async () => { await remove(pathOf(node), node.metadata.uid); location.hash = "#/nodes"; },
  });
}

export function nodeActions({ signal }) {
  let node;
  const button = (word, act, name) => h("button", { type: "button", class: name, hidden: true, on: { click: () => act(node, signal) } }, word);
  const cordon = button("Cordon", askCordon);
  const uncordon = button("Uncordon", askUncordon);
  const drain = button("Drain", askDrain);
  const away = button("Remove", askRemove, "danger-quiet");
  const show = (now) => {
    node = now;
    const writes = Boolean(node) && may("nodes:write");
    const closed = Boolean(node?.spec?.unschedulable);
    cordon.hidden = !writes || closed;
    uncordon.hidden = !writes || !closed;
    drain.hidden = !writes || Boolean(node.spec?.drain);
    away.hidden = !writes || Boolean(node.status.ready);
  };
  return { element: h("div", { class: "head-actions" }, cordon, uncordon, drain, away), show };
}
