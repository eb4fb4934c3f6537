// A part of a page with the objects of a kind, as they are now.
import { collection, get, may } from "./api.mjs";
import { fill, h, keepFocus } from "./dom.mjs";
import { count } from "./format.mjs";
import { eachFrame, keepTrying, liveList, sleep } from "./live.mjs";
import { grid, problem, section, skeleton, words } from "./ui.mjs";

const AT_ONCE = 200;
const EVERY_MS = 5000;

// Draws lists of objects into `body`: rows of cells, or what it says when there is none.
function painter({ title, columns, row, none, name, numbers }, body, note, signal) {
  let most = AT_ONCE;
  let all = [];
  const draw = eachFrame(() => {
    if (signal.aborted) return;
    fill(note, all.length ? String(all.length) : "");
    keepFocus(body, () => fill(body, all.length === 0 ? h("p", { class: "faint none" }, words(none)) : grid(columns, all.slice(0, most).map(row), { label: title, name, numbers }),
      all.length > most && h("button", { type: "button", on: { click: () => { most += AT_ONCE; draw(); } } }, `Show more of ${count(all.length, "object")}`)));
  });
  return (objects) => {
    all = objects;
    draw();
  };
}

const newestFirst = (a, b) => String(b.metadata?.creationTimestamp).localeCompare(String(a.metadata?.creationTimestamp)) || String(a.metadata?.name).localeCompare(String(b.metadata?.name));

function part(what, signal, begin) {
  const body = h("div", {}, skeleton(3));
  const note = h("span", {});
  const element = section(what.title, { id: what.id, note, actions: what.actions }, what.note && h("p", { class: "faint none" }, words(what.note)), body);
  if (!may(what.scope)) fill(body, h("p", { class: "faint none" }, words(`This token lacks the scope \`${what.scope}\`.`)));
  else begin(painter(what, body, note, signal), (error) => { if (error) fill(body, problem(error)); });
  return element;
}

// what: {title, id, plural, query, scope, columns, row(object) -> cells, none, name, numbers, actions, note}
export function listSection(what, { signal, tell = () => {} }) {
  return part(what, signal, (paint, failed) => liveList(collection(what.plural), {
    query: what.query, signal,
    changed: (items) => paint([...items.values()].sort(newestFirst)),
    tell: (to, error) => { tell(to); failed(error); },
  }));
}

// The same of what has no watch: asked for again while somebody looks. `again()` asks at once.
export function polledSection(what, { signal, tell = () => {} }) {
  let now = new AbortController();
  const element = part(what, signal, (paint, failed) => keepTrying(async (current, well) => {
    for (;;) {
      paint((await get(what.path, { signal: current })).items);
      tell("live");
      well();
      await sleep(EVERY_MS, AbortSignal.any([current, now.signal]));
      now = new AbortController();
      if (current.aborted) return signal.aborted;
    }
  }, { signal, tell: (to, error) => { tell(to); failed(error); } }));
  return { element, again: () => now.abort() };
}
