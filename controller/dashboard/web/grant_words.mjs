// What a grant allows at most, and how much of its quota is used. Pure.
import { bytes, count, parseQuantity } from "./format.mjs";

const devices = (list = []) => list.map((each) => `${each.count} × ${each.kind}`);

// What a grant allows one run.
export function grantLimits({ compute, media } = {}) {
  return [
    compute?.cpu && count(compute.cpu, "core"), compute?.memory && bytes(parseQuantity(compute.memory)), ...devices(compute?.accelerators),
    compute?.timeout && `timeout ${compute.timeout}`, compute?.deadline && `until ${compute.deadline}`,
    media && `media: ${[...(media.surfaces ?? []), ...(media.models ?? []), media.count && `${media.count} in all`].filter(Boolean).join(", ") || "none"}`,
  ].filter(Boolean);
}

// What a grant allows all runs together, as {name, used, whole}; both values are numbers.
export function quotaRows({ spec = {}, status = {} }) {
  const quota = spec.compute?.quota ?? {};
  const used = status.quotaUsed ?? {};
  const rows = ["runs", "cpu", "memory", "disk"].filter((name) => quota[name] !== undefined)
    .map((name) => ({ name, used: parseQuantity(used[name]) ?? 0, whole: parseQuantity(quota[name]) ?? 0 }));
  const held = (kind) => (used.accelerators ?? []).filter((each) => each.kind === kind).reduce((sum, each) => sum + each.count, 0);
  const cards = (quota.accelerators ?? []).map((each) => ({ name: each.kind, used: held(each.kind), whole: each.count }));
  const media = spec.media?.count ? [{ name: "media", used: status.mediaUsed ?? 0, whole: spec.media.count }] : [];
  return [...rows, ...cards, ...media];
}
