// What is chosen on a page is in its address, so that it can be sent, kept and gone back to.

// "#/runs/default/a?line=3" -> {words: ["runs", "default", "a"], query}. Pure.
export function parseAddress(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const words = path.split("/").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { words, query: new URLSearchParams(search) };
}

// Whether each word can be one of a path: a browser takes "." and ".." for a way to another place of the API, as a
// folder's name or the whole list of a kind, however they are encoded. Pure.
export const plainWords = (words) => words.every((word) => word && word !== "." && word !== "..");

// A word, or words between slashes, for a path of the API. Pure.
export function pathWord(word) {
  if (!plainWords([String(word)])) throw new RangeError(`"${word}" is no name in a path`);
  return encodeURIComponent(word);
}
export const pathWords = (path) => path.split("/").map(pathWord).join("/");

// What is empty is left out. Pure.
export function address(words, values = {}) {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== "" && value !== false);
  return `#/${words.map(encodeURIComponent).join("/")}${pairs.length ? `?${new URLSearchParams(pairs)}` : ""}`;
}

export const here = () => parseAddress(location.hash);

const last = new Map();  // by page: the address that its list had, for the way back

// The page stays as it is: only what one would copy changes. Whoever is on the way to another page goes there.
export function note(words, values) {
  const now = address(words, values);
  if (address(here().words) !== address(words)) return;
  if (now !== location.hash) history.replaceState(null, "", now);
  if (words.length === 1) last.set(words[0], now);
}

export const listAddress = (page) => last.get(page) ?? `#/${page}`;
