// Files by their folders. Pure. Names are the run's own, and any text can be one: "__proto__" too.

// Folders in each other; what is deeper stands with its way in the last one. A path can have 2,000, and a run ten
// thousand such paths.
export const MOST_DEEP = 40;

const byName = (a, b) => a.name.localeCompare(b.name, "en", { numeric: true });

// {name, path, folders, files, count, bytes}; a folder that only holds another one is told with it, as "a/b".
export function treeOf(artifacts) {
  const root = folder("", "");
  for (const artifact of artifacts) {
    const every = artifact.path.split("/");
    const parts = [...every.slice(0, MOST_DEEP), ...(every.length > MOST_DEEP ? [every.slice(MOST_DEEP).join("/")] : [])];
    let at = root;
    at.count += 1;
    at.bytes += artifact.size ?? 0;
    for (const part of parts.slice(0, -1)) {
      const path = at.path ? `${at.path}/${part}` : part;
      if (!at.children.has(part)) at.children.set(part, folder(part, path));
      at = at.children.get(part);
      at.count += 1;
      at.bytes += artifact.size ?? 0;
    }
    at.files.push({ name: parts.at(-1), ...artifact });
  }
  return finished(root);
}

const folder = (name, path) => ({ name, path, children: new Map(), files: [], count: 0, bytes: 0 });

function finished({ name, path, children, files, count, bytes }) {
  const folders = [...children.values()].map(finished).map(joined).sort(byName);
  return { name, path, folders, files: files.sort(byName), count, bytes };
}

function joined(one) {
  if (one.files.length > 0 || one.folders.length !== 1) return one;
  const [only] = one.folders;
  return { ...only, name: `${one.name}/${only.name}` };
}

// Which folders are open at first: all of a small tree, else only the way to where there is a choice.
export function openAtFirst(root, most = 30) {
  if (root.count <= most) return () => true;
  const open = new Set();
  for (let at = root; at; at = at.files.length === 0 && at.folders.length === 1 ? at.folders[0] : undefined) open.add(at.path);
  if (root.folders.length === 1) open.add(root.folders[0].path);
  return (path) => open.has(path);
}
