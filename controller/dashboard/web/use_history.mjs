// What a node or a run has used over the last minutes, as this page has heard it. Pure.
import { bytes, parseQuantity, time } from "./format.mjs";

export const SPAN_MS = 10 * 60_000;
const LEAST_SPAN_MS = 60_000;
const GAP_MS = 30_000;  // as long as the controller takes a measurement for true: what is further apart is no line
const MOST = 500;

const hundredths = (value) => String(Math.round(value * 100) / 100);
const cores = (value) => `${hundredths(value)} ${value === 1 ? "core" : "cores"}`;

// The smallest of 1, 2 and 5 times a power of ten, or power of two, that holds the value.
function decimalTop(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= value) ?? value;
}
const binaryTop = (value) => 2 ** Math.ceil(Math.log2(value));

// What is measured, by its name in metrics.k8s.io; `part`: an amount beside the whole, whose unit is enough for both;
// `least`: a scale that ends lower shows noise.
export const KINDS = [
  { name: "cpu", title: "Processor", show: cores, part: hundredths, above: decimalTop, least: 0.1 },
  { name: "memory", title: "Memory", show: bytes, part: bytes, above: binaryTop, least: 2 ** 20 },
  { name: "accelerators", title: "Accelerators busy", show: hundredths, part: hundredths, above: decimalTop, least: 0.1 },
  { name: "acceleratorMemory", title: "Accelerator memory", show: bytes, part: bytes, above: binaryTop, least: 2 ** 20 },
];

// "1250m" -> 1.25, "4096" -> 4096; undefined for what is no amount.
export function amount(text) {
  const milli = /^(\d{1,15})m$/.exec(String(text ?? ""));
  return milli ? Number(milli[1]) / 1000 : parseQuantity(String(text ?? ""));
}

// Reads a NodeMetrics or a PodMetrics; the latter has its amounts at its one container.
export function sampleOf(metrics) {
  const used = metrics.usage ?? metrics.containers?.[0]?.usage ?? {};
  const pairs = KINDS.map(({ name }) => [name, amount(used[name])]).filter(([, value]) => value !== undefined);
  return { at: time(metrics.timestamp), used: Object.fromEntries(pairs) };
}

// The samples with one more. The time is the controller's: when it is set back what was before cannot be drawn beside it.
export function withSample(samples, sample) {
  const last = samples.at(-1)?.at ?? -Infinity;
  if (sample.at === undefined || sample.at === last) return samples;
  if (sample.at < last) return [sample];
  return [...samples.filter(({ at }) => at >= sample.at - SPAN_MS), sample].slice(-MOST);
}

// Pieces of a line: where nothing was heard for a while, or this was not measured, it ends.
export function pieces(samples, name) {
  const out = [];
  let last;
  for (const { at, used } of samples) {
    const value = used[name];
    if (value !== undefined) {
      if (last === undefined || at - last > GAP_MS) out.push([]);
      out.at(-1).push({ at, value });
    }
    last = value === undefined ? undefined : at;
  }
  return out;
}

// Up to what there is when about half of it is used, else up to a round number above the highest.
function topOf({ above, least }, highest, whole) {
  const fits = Math.max(above(Math.max(highest, least)), least);
  return whole > 0 && highest <= whole && fits > whole / 2 ? whole : fits;
}

const x = (at, from, to) => Math.round(1000 * (at - from) / (to - from));
const y = (value, top) => Math.round(1000 * (1 - value / top)) / 10;

// A chart of one kind, in a field of 1000 by 100: undefined when it was never measured.
export function chartOf(kind, samples, whole) {
  const parts = pieces(samples, kind.name);
  const points = parts.flat();
  if (points.length === 0) return undefined;
  const to = samples.at(-1).at;
  const from = Math.min(samples[0].at, to - LEAST_SPAN_MS);
  const highest = Math.max(...points.map(({ value }) => value));
  const top = topOf(kind, highest, whole);
  const now = samples.at(-1).used[kind.name];
  return {
    top, highest, now, whole: whole > 0 ? whole : undefined, minutes: Math.round((to - from) / 60_000),
    lines: parts.map((part) => part.map(({ at, value }) => [x(at, from, to), y(value, top)])),
    bound: whole > 0 && whole < top ? y(whole, top) : undefined,
  };
}

// What is used now, as it stands above a chart.
export function nowWords({ show, part }, { now, whole }) {
  if (now === undefined) return "not measured now";
  return whole === undefined ? show(now) : `${part(now)} of ${show(whole)}`;
}

// What a chart shows, as one sentence.
export function chartWords(kind, chart) {
  const { highest, minutes } = chart;
  return `${kind.title}: ${nowWords(kind, chart)}; at most ${kind.show(highest)} in the last ${minutes === 1 ? "minute" : `${minutes} minutes`}`;
}
