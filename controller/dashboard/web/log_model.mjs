// A run's output as lines to show: whole and half lines of two streams, carriage returns, styles that go on over
// lines, and bounds on all of it. Pure.
import { PLAIN, pieces } from "./ansi.mjs";

export const MOST_LINES = 5000;
export const LONGEST_LINE = 16 * 1024;

export class LogModel {
  #open = new Map();  // by stream: the line that has no end yet
  #style = new Map();  // by stream: in which style the next line begins
  #next = 0;
  lines = [];
  dropped = 0;

  // Returns the lines that are new or changed, in order.
  push(stream, text, at) {
    const changed = new Set();
    const parts = String(text).split("\n");
    parts.forEach((part, i) => {
      const last = i === parts.length - 1;
      if (part !== "" || !last) changed.add(this.#write(stream, part, at));
      if (!last) this.#close(stream);
    });
    this.#forget();
    return [...changed].filter((line) => line.index >= this.dropped);
  }

  #write(stream, part, at) {
    let line = this.#open.get(stream);
    if (!line) {
      line = { index: this.#next++, stream, at, raw: "", cut: 0, start: this.#style.get(stream) ?? PLAIN, pieces: [] };
      this.#open.set(stream, line);
      this.lines.push(line);
    }
    this.#add(line, part);
    const shown = pieces(line.raw.replace(/\r$/, ""), line.start);
    line.pieces = shown.pieces;
    this.#style.set(stream, shown.style);
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
    this.#open.delete(stream);
  }

  #forget() {
    const surplus = this.lines.length - MOST_LINES;
    if (surplus <= 0) return;
    this.lines.splice(0, surplus);
    this.dropped += surplus;
  }
}
