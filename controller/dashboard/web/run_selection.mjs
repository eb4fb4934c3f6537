// Which runs of a list are chosen, and what can be done to them. Pure.
import { hasEnded } from "./format.mjs";

export class Selection {
  #uids = new Set();
  has(uid) {
    return this.#uids.has(uid);
  }
  set(uids, chosen) {
    for (const uid of uids) {
      if (chosen) this.#uids.add(uid);
      else this.#uids.delete(uid);
    }
  }
  // Those of the rows; what is no row of the list any more is not chosen: nothing is done to what one does not see.
  among(rows) {
    const chosen = rows.filter(({ metadata }) => this.#uids.has(metadata.uid));
    this.#uids = new Set(chosen.map(({ metadata }) => metadata.uid));
    return chosen;
  }
}

const ended = ({ cells }) => hasEnded(cells.Phase);

// By what is done: a run ends once, and what runs is not deleted or had once more.
export const doable = (rows) => ({ cancel: rows.filter((row) => !ended(row)), again: rows.filter(ended), away: rows.filter(ended) });

// Calls `act` for each, some at a time, in their order; each is answered on its own. `told(item, error)`: error is undefined
// when it was done. Returns those that failed, in their order.
export async function eachOf(items, act, told, width = 4) {
  const waiting = [...items];
  const failed = new Set();
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      let error;
      await act(item).catch((thrown) => { error = thrown; });
      if (error) failed.add(item);
      told(item, error);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return items.filter((item) => failed.has(item));
}
