// The lines of a log in a box that scrolls. Of 100,000 only those near what is seen are elements: lines come in chunks,
// and a chunk that is far away is one empty element of the height that it had.
import { look } from "./ansi.mjs";
import { h } from "./dom.mjs";
import { clock, count } from "./format.mjs";
import { CHUNK, chunkOf, piecesOf } from "./log_model.mjs";
import { marked } from "./log_search.mjs";

const MARKS = { stdout: "", stderr: "err", system: "sys" };
const LINE_PX = 20;  // until a line was measured

function pieceElement({ text, style, hit }) {
  const { classes, variables } = look(style);
  if (!classes && !hit) return text;
  const element = h(hit ? "mark" : "span", { class: classes || undefined }, text);
  for (const [name, value] of Object.entries(variables)) element.style.setProperty(name, value);
  return element;
}

const timeOf = (at) => (at === undefined ? "" : `${clock(at).slice(11)}.${String(Math.floor(at % 1000)).padStart(3, "0")}`);

function drawLine(line, { linkOf, times, needle, chosen }) {
  const number = line.index + 1;
  const shown = marked(piecesOf(line), needle);
  return h("div", { class: `log-line log-${line.stream}`, title: clock(line.at), "aria-current": line.index === chosen ? "true" : undefined },
    h("a", { class: "log-number", href: linkOf(number), tabindex: "-1", data: { number } }), h("span", { class: "log-mark", data: { mark: MARKS[line.stream] ?? "" } }),
    times && h("span", { class: "log-time", data: { time: timeOf(line.at) } }),
    h("span", { class: "log-text" }, shown.map(pieceElement), line.cut > 0 && h("span", { class: "log-note" }, ` … ${count(line.cut, "more character")}`)));
}

// `options` is read at each drawing: {linkOf, times, needle, chosen}. `body` belongs into the box.
export class LogView {
  #holders = new Map();  // by chunk: {element, lines: Map by index of {version, element}, filled}
  #linePx = LINE_PX;
  #near;
  body = h("div", { class: "log-lines" });

  constructor(box, model, options) {
    Object.assign(this, { box, model, options });
    this.#near = new IntersectionObserver((entries) => this.#moved(entries), { root: box, rootMargin: "800px 0px" });
  }

  stop() {
    this.#near.disconnect();
  }

  // The chunks where something changed; `last` keeps the newest ones as elements, whether they are seen or not.
  update(changed, last) {
    const first = chunkOf(this.model.dropped);
    this.#forget(first);
    const newest = this.model.end > this.model.dropped ? chunkOf(this.model.end - 1) : -1;
    for (const number of [...changed].filter((each) => each >= first).sort((a, b) => a - b)) {
      const holder = this.#holderOf(number);
      if (holder.filled || (last && number >= newest - 1)) this.#draw(number, holder);
      else this.#setHeight(holder, this.#linesOf(number) * this.#linePx);
    }
  }

  redraw() {
    for (const [number, holder] of this.#holders) {
      if (!holder.filled) continue;
      this.#clear(holder);
      this.#draw(number, holder);
    }
  }

  // Into the middle of the box; again once what is around it has its true height.
  reveal(index, again = 2) {
    const element = this.#elementOf(index);
    if (!element) return;
    const to = element.getBoundingClientRect().top - this.box.getBoundingClientRect().top - this.box.clientHeight / 2;
    if (Math.abs(to) > 2) this.box.scrollTop += to;
    if (again > 0) requestAnimationFrame(() => requestAnimationFrame(() => this.reveal(index, again - 1)));
  }

  #moved(entries) {
    for (const { target, isIntersecting } of entries) {
      const number = Number(target.dataset.chunk);
      const holder = this.#holders.get(number);
      if (!holder || holder.filled === isIntersecting) continue;
      if (isIntersecting) this.#draw(number, holder);
      else this.#empty(number, holder);
    }
  }

  #linesOf(number) {
    return Math.min(CHUNK, this.model.end - number * CHUNK);
  }

  #setHeight(holder, px) {
    holder.element.style.height = px === undefined ? "" : `${Math.round(px)}px`;
  }

  #clear(holder) {
    holder.lines.clear();
    holder.element.replaceChildren();
  }

  // It keeps the height that it had, and tells by it how high a line is.
  #empty(number, holder) {
    const lines = this.#linesOf(number);
    const { height } = holder.element.getBoundingClientRect();
    if (lines > 0 && height > 0) this.#linePx = height / lines;
    holder.filled = false;
    this.#clear(holder);
    this.#setHeight(holder, height || lines * this.#linePx);
  }

  #draw(number, holder) {
    holder.filled = true;
    this.#setHeight(holder);
    for (const line of this.model.chunk(number)) {
      const known = holder.lines.get(line.index);
      if (known?.version === line.version) continue;
      const element = drawLine(line, this.options);
      if (known) known.element.replaceWith(element);
      else holder.element.append(element);
      holder.lines.set(line.index, { version: line.version, element });
    }
  }

  #holderOf(number) {
    const known = this.#holders.get(number);
    if (known) return known;
    const holder = { element: h("div", { class: "log-chunk", data: { chunk: number } }), lines: new Map(), filled: false };
    this.#holders.set(number, holder);
    this.body.append(holder.element);
    this.#near.observe(holder.element);
    return holder;
  }

  // What the model has forgotten.
  #forget(first) {
    for (const [number, { element }] of this.#holders) {
      if (number >= first) break;
      this.#near.unobserve(element);
      element.remove();
      this.#holders.delete(number);
    }
  }

  #elementOf(index) {
    const holder = this.#holders.get(chunkOf(index));
    if (holder && !holder.filled) this.#draw(chunkOf(index), holder);
    return holder?.lines.get(index)?.element;
  }
}
