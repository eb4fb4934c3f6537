// Where in a log a text is, whatever its case. Pure.
import { plainOf } from "./log_model.mjs";

export const MOST_HITS = 10_000;
const MOST_MARKS = 200;  // in a line: what a run writes must not make its page slow

// The numbers of the lines that have it, found bit by bit: a log of 64 Mi characters takes seconds.
export class Search {
  found = [];
  #next = 0;
  #sure = 0;  // what is before it will not change
  #begun = false;
  constructor(text, most = MOST_HITS) {
    this.wanted = text.toLowerCase();
    this.most = most;
  }

  // Goes on from where it was, until `now()` is `until`; whether it has come to the end. After the end it begins with the
  // lines that may have changed since; those that the model has forgotten are found no more.
  step(model, until = Infinity, now = () => performance.now()) {
    if (!this.wanted) return true;
    if (!this.#begun) {
      this.found = this.found.filter((index) => index >= model.dropped && index < this.#sure);
      this.#next = this.#sure;
      this.#sure = model.open;
    }
    this.#begun = true;
    for (this.#next = Math.max(this.#next, model.dropped); this.#next < model.end && this.found.length < this.most; ++this.#next) {
      if (now() >= until) return false;
      if (plainOf(model.at(this.#next)).toLowerCase().includes(this.wanted)) this.found.push(this.#next);
    }
    this.#begun = false;
    return true;
  }
}

// All at once.
export function search(model, text, most) {
  const all = new Search(text, most);
  all.step(model);
  return all.found;
}

// [from, to) of each place where the text is.
function places(whole, wanted) {
  const out = [];
  for (let at = whole.indexOf(wanted); at >= 0 && out.length < MOST_MARKS; at = whole.indexOf(wanted, at + wanted.length)) out.push([at, at + wanted.length]);
  return out;
}

// The pieces cut where the text begins and ends; those within it have `hit`.
export function marked(pieces, text) {
  const whole = pieces.map((piece) => piece.text).join("").toLowerCase();
  const hits = text ? places(whole, text.toLowerCase()) : [];
  // Where a letter changes its length with its case, the places would be those of another text.
  if (hits.length === 0 || whole.length !== pieces.reduce((sum, piece) => sum + piece.text.length, 0)) return pieces;
  const cuts = hits.flat();
  const out = [];
  let start = 0;
  for (const piece of pieces) {
    const end = start + piece.text.length;
    const edges = [start, ...cuts.filter((cut) => cut > start && cut < end), end];
    for (let i = 0; i + 1 < edges.length; ++i) {
      out.push({ ...piece, text: piece.text.slice(edges[i] - start, edges[i + 1] - start), hit: hits.some(([from, to]) => edges[i] >= from && edges[i] < to) });
    }
    start = end;
  }
  return out;
}

// The hit after or before where one is; around the ends.
export function nextHit(found, from, step) {
  if (found.length === 0) return -1;
  if (step > 0) {
    const at = found.findIndex((index) => index > from);
    return at < 0 ? 0 : at;
  }
  const at = found.findLastIndex((index) => index < from);
  return at < 0 ? found.length - 1 : at;
}
