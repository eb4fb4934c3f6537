// A run's output as lines to show: whole and half lines of two streams, carriage returns, styles that go on over
// lines, and bounds on all of it. Pure.
import { PLAIN, pieces, plainText, styleAfter } from "./ansi.mjs";
import { visible } from "./text.mjs";

export const MOST_LINES = 200_000;
export const MOST_CHARACTERS = 64 * 1024 * 1024;
export const LONGEST_LINE = 16 * 1024;
export const CHUNK = 200;  // lines that are drawn, and forgotten, together

export const chunkOf = (index) => Math.floor(index / CHUNK);
const textOf = (line) => line.raw.replace(/\r$/, "");
const hasEscape = (line) => line.raw.includes("\u001b");

// Made when it is looked at: of a long log that is a small part.
export const plainOf = (line) => (hasEscape(line) ? plainText(textOf(line)) : visible(textOf(line)));
export const piecesOf = (line) => pieces(textOf(line), line.start).pieces;

export class LogModel {
  #open = new Map();  // by stream: the line that has no end yet
  #style = new Map();  // by stream: in which style the next line begins
  #characters = 0;
  lines = [];
  dropped = 0;  // always whole chunks
  constructor({ most = MOST_LINES, characters = MOST_CHARACTERS } = {}) {
    this.most = most;
    this.characters = characters;
  }

  get end() {
    return this.dropped + this.lines.length;
  }

  // The first line that may still change.
  get open() {
    return Math.min(this.end, ...[...this.#open.values()].map((line) => line.index));
  }

  // By the number that it has for good; undefined when it is forgotten or not there yet.
  at(index) {
    return this.lines[index - this.dropped];
  }

  chunk(number) {
    return this.lines.slice(Math.max(0, number * CHUNK - this.dropped), Math.max(0, (number + 1) * CHUNK - this.dropped));
  }

  // Returns the numbers of the chunks in which something is new or changed.
  push(stream, text, at) {
    const changed = new Set();
    const parts = String(text).split("\n");
    parts.forEach((part, i) => {
      const last = i === parts.length - 1;
      if (part !== "" || !last) changed.add(chunkOf(this.#write(stream, part, at).index));
      if (!last) this.#close(stream);
    });
    this.#forget();
    return changed;
  }

  #write(stream, part, at) {
    let line = this.#open.get(stream);
    if (!line) {
      line = { index: this.end, stream, at, raw: "", cut: 0, version: 0, start: this.#style.get(stream) ?? PLAIN };
      this.#open.set(stream, line);
      this.lines.push(line);
    }
    const before = line.raw.length;
    this.#add(line, part);
    this.#characters += line.raw.length - before;
    ++line.version;
    return line;
  }

  // A carriage return begins the line anew, as a terminal shows progress.
  #add(line, part) {
    let raw = line.raw + part;
    const back = raw.lastIndexOf("\r", raw.length - 2);
    if (back >= 0) {
      raw = raw.slice(back + 1);
      line.cut = 0;
    }
    if (raw.length > LONGEST_LINE) {
      line.cut += raw.length - LONGEST_LINE;
      raw = raw.slice(0, LONGEST_LINE);
    }
    line.raw = raw;
  }

  #close(stream) {
    const line = this.#open.get(stream);
    if (hasEscape(line)) this.#style.set(stream, styleAfter(textOf(line), line.start));
    this.#open.delete(stream);
  }

  #forget() {
    while (this.lines.length > CHUNK && (this.lines.length > this.most || this.#characters > this.characters)) {
      for (const line of this.lines.splice(0, CHUNK)) this.#characters -= line.raw.length;
      this.dropped += CHUNK;
    }
  }
}
