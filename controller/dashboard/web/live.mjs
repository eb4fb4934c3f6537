// A list that stays true: read once, watched from there, and read again when the connection was lost or the
// server has forgotten the changes since. A page that nobody looks at holds no connection.
import { ApiError, get, table, watch, withQuery } from "./api.mjs";

const PAGE = 500;
const HIDDEN_MS = 30_000;

export function sleep(ms, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    return undefined;
  });
}

function whenVisible(signal) {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

// Aborted when the page has been hidden for a while.
function whileVisible(signal) {
  const controller = new AbortController();
  let timer;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => controller.abort(), HIDDEN_MS);
  };
  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    signal.removeEventListener("abort", stop);
  };
  document.addEventListener("visibilitychange", look);
  signal.addEventListener("abort", stop);
  look();
  return { signal: AbortSignal.any([signal, controller.signal]), stop };
}

// Calls `attempt(signal)` again and again until it returns true, the signal is aborted, or what it threw will not
// change by itself. `tell` hears "live" from the attempt itself, and "paused", "offline" or "refused" from here.
export async function keepTrying(attempt, { signal, tell }) {
  let pause = 500;
  while (!signal.aborted) {
    if (document.hidden) {
      tell("paused");
      await whenVisible(signal);
    }
    const visible = whileVisible(signal);
    try {
      if (await attempt(visible.signal, () => { pause = 500; })) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!visible.signal.aborted) {
        if (!(error instanceof ApiError)) {
          tell("refused", new ApiError(0, "PAGE_FAULT", "This page cannot show what the controller answered."));  // it must not look live
          throw error;
        }
        if (error.status === 401) return;
        if (error.status === 403 || error.status === 404) return void tell("refused", error);
        if (error.status !== 410) {
          tell("offline", error);
          await sleep(pause, signal);
          pause = Math.min(pause * 2, 10_000);
        }
      }
    } finally {
      visible.stop();
    }
  }
}

// Hands over each page as soon as it is there.
async function readAll(path, { form, query, most, signal }, take) {
  const out = { count: 0, columns: [], version: "", more: false };
  let next;
  do {
    const page = await (form === "table" ? table : get)(withQuery(path, { ...query, limit: PAGE, continue: next }), { signal });
    out.version ||= page.metadata.resourceVersion;
    if (form === "table" && page.columnDefinitions?.length) out.columns = page.columnDefinitions.map((column) => column.name);
    const rows = form === "table" ? page.rows.map((row) => rowObject(row, out.columns)) : page.items;
    out.count += rows.length;
    next = page.metadata.continue;
    take(rows, Boolean(next));
  } while (next && out.count < most);
  out.more = Boolean(next);
  return out;
}

const keyOf = (metadata) => `${metadata.namespace ?? ""}/${metadata.name}`;

// A table's row as {metadata, cells by column}, received now: its durations are of this moment.
function rowObject(row, columns) {
  const cells = Object.fromEntries(columns.map((name, i) => [name, row.cells[i]]));
  return { metadata: row.object.metadata, cells, receivedAt: Date.now() };
}

// form: "object", or "table" for rows {metadata, cells}. `changed(items, more)` gets a Map by namespace/name.
export function liveList(path, { form = "object", query = {}, most = 5000, signal, changed, tell }) {
  let items = new Map();
  return keepTrying(async (current, well) => {
    // The first time one sees it grow; later what was there stays until the new list is whole.
    const grows = items.size === 0;
    const fresh = new Map();
    const list = await readAll(path, { form, query, most, signal: current }, (rows, isMore) => {
      for (const each of rows) fresh.set(keyOf(each.metadata), each);
      if (grows && isMore) changed(fresh, false);
    });
    const read = (each) => (form === "table" ? rowObject(each, list.columns) : each);
    items = fresh;
    changed(items, list.more);
    tell("live");
    well();
    let version = list.version;
    for (;;) {
      const changes = withQuery(path, { ...query, watch: "true", allowWatchBookmarks: "true", resourceVersion: version });
      for await (const event of watch(changes, { form, signal: current })) {
        if (event.type === "ERROR") throw new ApiError(event.object.code ?? 410, event.object.reason ?? "", event.object.message ?? "");
        version = event.object.metadata.resourceVersion ?? version;
        if (event.type === "BOOKMARK") continue;
        const item = read(form === "table" ? event.object.rows[0] : event.object);
        if (event.type === "DELETED") items.delete(keyOf(item.metadata));
        else items.set(keyOf(item.metadata), item);
        changed(items, list.more);
      }
    }
  }, { signal, tell });
}

const anew = () => window.dispatchEvent(new Event("hashchange"));

// Pure: hands on what becomes of the first object, and tells `replaced` of one with another uid.
export function sameObject(changed, replaced) {
  let uid;
  return (now) => {
    uid ??= now?.metadata.uid;
    return now && now.metadata.uid !== uid ? replaced() : changed(now);
  };
}

// One object of such a list: asked for by itself first, which costs the server least, then watched.
// `changed(object)`; undefined when there is none. Another object of the same name has nothing of what is on the page,
// in its log or in an open dialog: `replaced` begins the page anew.
export async function liveObject(path, collectionPath, name, { signal, changed, tell, replaced = anew }) {
  const take = sameObject(changed, replaced);
  const first = await get(path, { signal }).catch(() => undefined);  // what went wrong the list says
  if (first && !signal.aborted) take(first);
  return liveList(collectionPath, {
    query: { fieldSelector: `metadata.name=${name}` }, signal, tell,
    changed: (items) => { if (!signal.aborted) take([...items.values()].find(({ metadata }) => metadata.name === name)); },
  });
}

// Calls `render` at most once per frame.
export function eachFrame(render) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      render();
    });
  };
}
