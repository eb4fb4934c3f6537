// The lines of a log in a box that scrolls. Of 100,000 only those near what is seen are elements: lines come in chunks,
// and a chunk that is far away is one empty element of the height that it had.
import { look } from "./ansi.mjs";
import { fill, h } from "./dom.mjs";
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

// `options` is read at each drawing: {linkOf, times, needle, chosen}.
export function logView(box, model, options) {
  const holders = new Map();  // by chunk: {element, lines: Map by index of {version, element}, filled}
  const body = h("div", { class: "log-lines" });
  let linePx = LINE_PX;

  const empty = (number, holder) => {
    const lines = Math.min(CHUNK, model.end - number * CHUNK);
    const height = holder.element.getBoundingClientRect().height;
    if (holder.filled && lines > 0 && height > 0) linePx = height / lines;
    holder.filled = false;
    holder.lines.clear();
    holder.element.replaceChildren();
    holder.element.style.height = `${Math.round(height || lines * linePx)}px`;
  };
  const draw = (number, holder) => {
    const lines = model.chunk(number);
    holder.filled = true;
    holder.element.style.height = "";
    for (const line of lines) {
      const known = holder.lines.get(line.index);
      if (known?.version === line.version) continue;
      const element = drawLine(line, options);
      if (known) known.element.replaceWith(element);
      else holder.element.append(element);
      holder.lines.set(line.index, { version: line.version, element });
    }
  };
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const number = Number(target.dataset.chunk);
      const holder = holders.get(number);
      if (!holder) continue;
      if (isIntersecting && !holder.filled) draw(number, holder);
      else if (!isIntersecting && holder.filled) empty(number, holder);
    }
  }, { root: box, rootMargin: "800px 0px" });

  const holderOf = (number) => {
    let holder = holders.get(number);
    if (holder) return holder;
    holder = { element: h("div", { class: "log-chunk", data: { chunk: number } }), lines: new Map(), filled: false };
    holders.set(number, holder);
    body.append(holder.element);
    near.observe(holder.element);
    return holder;
  };

  // The chunks where something changed; `last` keeps the newest ones as elements, whether they are seen or not.
  const update = (changed, last) => {
    const first = chunkOf(model.dropped);
    for (const [number, { element }] of holders) {
      if (number >= first) break;
      near.unobserve(element);
      element.remove();
      holders.delete(number);
    }
    const end = model.end > model.dropped ? chunkOf(model.end - 1) : -1;
    for (const number of [...changed].filter((each) => each >= first).sort((a, b) => a - b)) {
      const holder = holderOf(number);
      if (holder.filled || (last && number >= end - 1)) draw(number, holder);
      else holder.element.style.height = `${Math.round(Math.min(CHUNK, model.end - number * CHUNK) * linePx)}px`;
    }
  };
  const redraw = () => {
    for (const [number, holder] of holders) {
      if (!holder.filled) continue;
      holder.lines.clear();
      fill(holder.element);
      draw(number, holder);
    }
  };
  const elementOf = (index) => {
    const holder = holders.get(chunkOf(index));
    if (!holder) return undefined;
    if (!holder.filled) draw(chunkOf(index), holder);
    return holder.lines.get(index)?.element;
  };
  // Into the middle of the box; again once what is around it has its true height.
  const reveal = (index, again = 2) => {
    const element = elementOf(index);
    if (!element) return false;
    const to = element.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
    if (Math.abs(to) > 2) box.scrollTop += to;
    if (again > 0) requestAnimationFrame(() => requestAnimationFrame(() => reveal(index, again - 1)));
    return true;
  };
  return { body, update, redraw, reveal, stop: () => near.disconnect() };
}
