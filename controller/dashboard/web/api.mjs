// The public API, asked with the token of whoever is logged in. The token is in this module's memory, and in what is
// kept for the tab if one wants so; never in an address, a cookie or what other tabs can read.
import { pathWord as word, pathWords } from "./address.mjs";
import { EventSplitter, LineSplitter } from "./streams.mjs";
import { forget } from "./tab_token.mjs";

export const MOST_BYTES = 256 * 1024 * 1024;  // of a file: goes through the page's memory, since the token does too

const BASE = "/apis/paddock.dev/v1alpha1";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

let token = "";
let attempt = 0;  // of logging in: one that was given up must not become the session of who comes next
let ended = () => {};
export const session = { user: "", namespace: "", scopes: [], version: "", sandboxMode: false };

export class ApiError extends Error {
  constructor(status, code, message, causes = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.causes = causes;  // [{field, message}]
  }
}

export function collection(plural, namespace = session.namespace) {
  return namespace && plural !== "nodes" ? `${BASE}/namespaces/${word(namespace)}/${plural}` : `${BASE}/${plural}`;
}
export function runPath(namespace, name) {
  return `${BASE}/namespaces/${word(namespace)}/runs/${word(name)}`;
}
export function artifactPath(namespace, name, path) {
  return `${runPath(namespace, name)}/artifacts/${pathWords(path)}`;
}
export function logPath(namespace, name, timestamps) {
  return withQuery(`${runPath(namespace, name)}/log`, { timestamps: timestamps ? "true" : "" });
}
export function auditPath() {
  return session.namespace ? `${BASE}/namespaces/${word(session.namespace)}/audit` : "/audit";
}
export function withQuery(path, query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path;
}

async function errorOf(response) {
  const body = await response.json().catch(() => ({}));
  return new ApiError(response.status, body.error?.code ?? body.reason ?? "", body.error?.message ?? body.message ?? response.statusText,
    (body.error?.details?.causes ?? body.details?.causes ?? []).filter((each) => each?.message));
}

async function ask(path, { method = "GET", body, accept = "application/json", key, signal } = {}) {
  const mine = token;
  let response;
  try {
    response = await fetch(path, {
      method, signal, cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
      headers: {
        Accept: accept,
        ...(mine && { Authorization: `Bearer ${mine}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(key && { "Idempotency-Key": key }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "UNREACHABLE", "The controller does not answer.");
  }
  if (response.ok) return response;
  const error = await errorOf(response);
  if (response.status === 401 && mine && mine === token) logOut("The controller does not take this token any more.", error.code);
  throw error;
}

export const get = async (path, options) => (await ask(path, options)).json();
// `key`: sent once more with the same body it gets the object that was made then, and makes no second one.
export const post = async (path, body = {}, options = {}) => (await ask(path, { ...options, method: "POST", body })).json();
// The very object that was shown: one that took its name meanwhile is another, and stays (409).
export const remove = async (path, uid) => { await ask(path, { method: "DELETE", body: uid && { preconditions: { uid } } }); };
// The same of an action, which has no preconditions: looked up first.
export async function act({ path, uid }, action, body) {
  const now = await get(path);
  if (now.metadata.uid !== uid) throw new ApiError(409, "PRECONDITION_FAILED", "Another object has this name now: nothing was done to it.");
  return post(`${path}/${action}`, body);
}
export const freshKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
// One key for the same body, another for another: what was changed after an answer that never came is asked for anew.
export function keyOfBody() {
  let before;
  let key;
  return (body) => {
    const now = JSON.stringify(body);
    if (now !== before) key = freshKey();
    before = now;
    return key;
  };
}
export const table = (path, options) => get(path, { ...options, accept: TABLE });

// All of an answer, as far as it fits into a page: a file of a session grows while it is read.
export async function download(path, signal, most = MOST_BYTES) {
  const response = await ask(path, { accept: "*/*", signal });
  const parts = [];
  let size = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    size += value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw new ApiError(0, "TOO_LARGE", `It is larger than the ${most / 1024 / 1024} MiB that are read through a page.`);
    }
    parts.push(value);
  }
}

// What arrives, as text; ends with an error if nothing comes for so long.
async function* texts(path, { accept, signal, silenceMs }) {
  const stalled = new AbortController();
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stalled.abort(), silenceMs);
  };
  wait();
  try {
    const response = await ask(path, { accept, signal: AbortSignal.any([signal, stalled.signal]) });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      wait();
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (signal.aborted || error instanceof ApiError) throw error;
    throw new ApiError(0, "STREAM_BROKEN", "The connection to the controller was lost.");
  } finally {
    clearTimeout(timer);
  }
}

// Changes of a collection: {type, object}, as Kubernetes tells them. Bookmarks come at least once a minute.
export async function* watch(path, { form, signal }) {
  const lines = new LineSplitter();
  const accept = form === "table" ? TABLE : "application/json";
  for await (const text of texts(path, { accept, signal, silenceMs: 100_000 })) {
    for (const line of lines.push(text)) {
      if (line) yield JSON.parse(line);
    }
  }
}

// A run's own events: {id, type, data}. The server is never silent for more than some seconds.
export async function* runEvents(namespace, name, { after, signal }) {
  const events = new EventSplitter();
  const path = withQuery(`${runPath(namespace, name)}/events`, { after });
  for await (const text of texts(path, { accept: "text/event-stream", signal, silenceMs: 20_000 })) {
    for (const event of events.push(text)) yield { id: Number(event.id), type: event.type, data: JSON.parse(event.data) };
  }
}

// Resolves once the controller knows who holds this token.
export async function logIn(secret, whenEnded) {
  const mine = ++attempt;
  token = secret;
  ended = () => {};
  try {
    const self = await post("/apis/authentication.k8s.io/v1/selfsubjectreviews", { kind: "SelfSubjectReview", apiVersion: "authentication.k8s.io/v1" });
    const status = await get("/status");
    if (mine !== attempt) throw new ApiError(0, "GIVEN_UP", "Another token was used meanwhile.");
    const user = self.status?.userInfo ?? {};
    session.user = user.username ?? "";
    session.scopes = user.extra?.["paddock.dev/scopes"] ?? [];
    session.namespace = user.extra?.["paddock.dev/namespace"]?.[0] ?? "";
    session.version = status.version ?? "";
    session.sandboxMode = Boolean(status.sandboxMode);
    ended = whenEnded;
  } catch (error) {
    if (mine === attempt) token = "";
    throw error;
  }
}

export function logOut(message = "", code = "") {
  ++attempt;
  token = "";
  forget();
  Object.assign(session, { user: "", namespace: "", scopes: [], version: "", sandboxMode: false });
  const tell = ended;
  ended = () => {};
  tell(message, code);
}

export const may = (scope) => session.scopes.includes("*") || session.scopes.includes(scope);
