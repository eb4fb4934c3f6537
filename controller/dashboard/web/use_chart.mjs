// Use of the last minutes as lines.
import { fill, h, setText, svg } from "./dom.mjs";
import { KINDS, chartOf, chartWords, nowWords } from "./use_history.mjs";

const at = ([x, y]) => `${x} ${y}`;
// A line of one point is drawn as a dot: it has a beginning and an end.
const lineOf = (points) => `M${at(points[0])}${points.map((each) => `L${at(each)}`).join("")}`;
const areaOf = (points) => `M${points[0][0]} 100${points.map((each) => `L${at(each)}`).join("")}L${points.at(-1)[0]} 100Z`;

function drawing({ lines, bound }) {
  return [
    [0, 50, 100].map((y) => svg("path", { class: "chart-grid", d: `M0 ${y}H1000` })),
    bound !== undefined && svg("path", { class: "chart-bound", d: `M0 ${bound}H1000` }),
    lines.map((points) => svg("path", { class: "chart-area", d: areaOf(points) })),
    lines.map((points) => svg("path", { class: points.length > 1 ? "chart-line" : "chart-line chart-dot", d: lineOf(points) })),
  ];
}

// The field is stretched to the room there is, its words are not: they stand beside it.
function figure(kind) {
  const value = h("span", { class: "chart-now" });
  const top = h("span");
  const since = h("span");
  const field = svg("svg", { class: "chart-field", viewBox: "0 0 1000 100", preserveAspectRatio: "none", role: "img", focusable: "false" });
  const element = h("figure", { class: "chart", hidden: true, data: { use: kind.name } },
    h("figcaption", {}, h("span", { class: "faint" }, kind.title), value),
    h("div", { class: "chart-scale faint", "aria-hidden": "true" }, top, h("span", {}, "0")), field,
    h("div", { class: "chart-times faint", "aria-hidden": "true" }, since, h("span", {}, "now")));
  const show = (samples, whole) => {
    const chart = chartOf(kind, samples, whole);
    element.hidden = !chart;
    if (!chart) return false;
    setText(value, nowWords(kind, chart));
    setText(top, kind.show(chart.top));
    setText(since, `${chart.minutes} min ago`);
    field.setAttribute("aria-label", chartWords(kind, chart));
    fill(field, ...drawing(chart));
    return true;
  };
  return { element, show };
}

// `show(samples, wholes)`: what there is of each, by the same names. Says whether anything could be shown.
export function useCharts() {
  const figures = KINDS.map((kind) => ({ name: kind.name, ...figure(kind) }));
  const element = h("div", { class: "charts" }, figures.map((each) => each.element));
  return { element, show: (samples, wholes) => figures.map(({ name, show }) => show(samples, wholes[name])).some(Boolean) };
}
