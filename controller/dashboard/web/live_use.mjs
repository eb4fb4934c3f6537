// What a node or a run uses right now, asked for while somebody looks; what was heard is kept by the page alone.
import { pathWord } from "./address.mjs";
import { ApiError, get } from "./api.mjs";
import { h } from "./dom.mjs";
import { parseQuantity } from "./format.mjs";
import { keepTrying, sleep } from "./live.mjs";
import { section } from "./ui.mjs";
import { devicesOf } from "./usage.mjs";
import { useCharts } from "./use_chart.mjs";
import { sampleOf, withSample } from "./use_history.mjs";

const EVERY_MS = 5000;
const METRICS = "/apis/metrics.k8s.io/v1beta1";

const nodePath = ({ metadata }) => `${METRICS}/nodes/${pathWord(metadata.name)}`;
const runPath = ({ metadata }) => `${METRICS}/namespaces/${pathWord(metadata.namespace)}/pods/${pathWord(metadata.name)}`;

const nodeWholes = (node) => ({ cpu: node.status.capacity?.cpu, memory: parseQuantity(node.status.capacity?.memory), accelerators: devicesOf(node).well });
const runWholes = ({ spec, status }) => ({ cpu: spec.resources?.cpu, memory: parseQuantity(status.policy?.limits?.memory), accelerators: spec.resources?.accelerators?.count });

// What nobody has measured yet may be there soon; whatever else is refused stays so.
async function sampleAt(path, signal) {
  try {
    return sampleOf(await get(path, { signal }));
  } catch (error) {
    if (error instanceof ApiError && error.code === "USE_NOT_MEASURED") return undefined;
    throw error;
  }
}

// `show(object)`, or none of it any more: then nothing is asked for, and what was heard stays to be seen.
function useSection({ note, none, pathOf, wholesOf }, signal) {
  const charts = useCharts();
  const nothing = h("p", { class: "faint none" }, none);
  const element = section("Use", { id: "use", note }, charts.element, nothing);
  let samples = [];
  let asking;
  let shown;
  const draw = () => { nothing.hidden = charts.show(samples, wholesOf(shown)); };
  const ask = (path, current) => keepTrying(async (visible, well) => {
    for (;;) {
      const sample = await sampleAt(path, visible);
      well();
      if (sample) samples = withSample(samples, sample);
      draw();
      await sleep(EVERY_MS, visible);
      if (visible.aborted) return current.aborted;
    }
  }, { signal: current, tell: () => {} });  // what goes wrong the page says of the object itself
  const show = (object, asks = true) => {
    shown = object ?? shown;
    element.hidden = !shown || (!asks && samples.length === 0);
    if (shown) draw();
    if (!asks) asking?.abort();
    if (!asks || !object || (asking && !asking.signal.aborted)) return;
    asking = new AbortController();
    ask(pathOf(object), AbortSignal.any([signal, asking.signal]));
  };
  element.hidden = true;
  return { element, show };
}

export const nodeUse = (signal) => useSection({
  note: "by everything on the host, since this page is open", none: "The agent has not said what the host uses.", pathOf: nodePath, wholesOf: nodeWholes,
}, signal);

// Shows what a run uses, as long as its command runs.
export function runUse(signal) {
  const use = useSection({ note: "by all of its processes, since this page is open", none: "Not measured yet: the agent looks every few seconds.", pathOf: runPath, wholesOf: runWholes }, signal);
  return { element: use.element, show: (run) => use.show(run, run.status.phase === "Running") };
}
