// Where in a log a text is, whatever its case. Pure.
import { piecesOf } from "./log_model.mjs";
import { visible } from "./text.mjs";

export const MOST_HITS = 10_000;
const MOST_MARKS = 200;  // in a line: what a run writes must not make its page slow

const plain = (line) => (line.raw.includes("\u001b") ? piecesOf(line).map(({ text }) => text).join("") : visible(line.raw));

// The numbers of the lines that have it.
export function search(lines, text, most = MOST_HITS) {
  const wanted = text.toLowerCase();
  const found = [];
  if (!wanted) return found;
  for (const line of lines) {
    if (!plain(line).toLowerCase().includes(wanted)) continue;
    found.push(line.index);
    if (found.length >= most) break;
  }
  return found;
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
