// The frame around the pages: who is logged in, where one is, whether what one sees is live.
import { here, plainWords } from "./address.mjs";
import { logOut, may, session } from "./api.mjs";
import { access } from "./access.mjs";
import { audit } from "./audit.mjs";
import { fill, h, setText } from "./dom.mjs";
import { bindKeys, keyHelp } from "./keys.mjs";
import { loginPage, resume } from "./login.mjs";
import { nodePage } from "./node.mjs";
import { nodes } from "./nodes.mjs";
import { queue } from "./queue.mjs";
import { runPage } from "./run.mjs";
import { runs } from "./runs.mjs";
import { sessionPage, sessions } from "./sessions.mjs";
import { storage, storagePage } from "./storage.mjs";
import { visible } from "./text.mjs";
import { applyTheme, themeButton } from "./theme.mjs";
import { empty, icon, tick } from "./ui.mjs";

// A page: {title, show(main, {words, query, signal, tell})}, and `one` of an object, whose address has `deep` words. `key`
// goes there after a g. The menu has those of which the token may see something; `cluster`: that no token of a namespace may.
const PAGES = [
  { path: "runs", title: "Runs", key: "r", scopes: ["runs:read"], show: runs, one: runPage, deep: 3 },
  { path: "queue", title: "Queue", key: "q", scopes: ["runs:read"], show: queue },
  { path: "sessions", title: "Sessions", key: "s", scopes: ["runs:read"], show: sessions, one: sessionPage, deep: 3 },
  { path: "storage", title: "Storage", key: "w", scopes: ["workspaces:read"], show: storage, one: storagePage, deep: 4 },
  { path: "nodes", title: "Nodes", key: "n", scopes: ["nodes:read"], cluster: true, show: nodes, one: nodePage, deep: 2 },
  { path: "access", title: "Access", key: "c", scopes: ["grants:read", "secrets:read", "admin"], show: access },
  { path: "audit", title: "Audit", key: "a", scopes: ["audit:read"], show: audit },
];
const offered = ({ scopes, cluster }) => scopes.some(may) && !(cluster && session.namespace);

const LIVE = {
  live: ["good", "Live"], connecting: ["moving", "Connecting"], offline: ["bad", "Reconnecting"],
  paused: ["stopped", "Paused"], refused: ["warn", "Refused"], ended: ["stopped", "Ended"],
};

const app = document.getElementById("app");
let leave = new AbortController();

function liveSign() {
  const word = h("span", { class: "live-word" });
  const shape = h("span", { class: "live-shape" });
  const sign = h("span", { class: "live", role: "status", "aria-live": "polite" }, shape, word);
  let shown = "";
  const tell = (state) => {
    if (state === shown) return;
    shown = state;
    sign.dataset.state = state;
    fill(shape, icon(LIVE[state][0]));
    setText(word, LIVE[state][1]);
  };
  tell("connecting");
  return { sign, tell };
}

function navigation() {
  return h("nav", { class: "nav", "aria-label": "Pages" }, PAGES.filter(offered).map(({ path, title, key }) =>
    h("a", { href: `#/${path}`, data: { path }, title: `${title} (g ${key})` }, title)));
}

function frame() {
  const { sign, tell } = liveSign();
  const main = h("main", { id: "main", tabindex: "-1" });
  const nav = navigation();
  const who = h("span", { class: "who", title: `Token of ${visible(session.user)}; controller ${visible(session.version)}` },
    visible(session.user), session.namespace && h("span", { class: "faint" }, ` in ${visible(session.namespace)}`));
  const header = h("header", { class: "top" },
    h("a", { class: "skip", href: "#main", on: { click: (event) => { event.preventDefault(); main.focus(); } } }, "Skip to content"),
    h("a", { class: "brand", href: "#/runs" }, h("img", { src: "/dashboard/icon.svg", alt: "", width: 22, height: 22 }), "Paddock"),
    nav,
    h("div", { class: "top-end" }, sign,
      who, themeButton(),
      h("button", { class: "quiet keys-button", type: "button", title: "Keys (?)", "aria-label": "Keys", on: { click: keyHelp } }, "?"),
      h("button", { class: "quiet", type: "button", on: { click: () => logOut() } }, "Log out")));
  fill(app, header, main);
  return { main, nav, tell };
}

function show({ main, nav, tell }, focus = true) {
  leave.abort();
  leave = new AbortController();
  const { words, query } = here();
  const page = PAGES.find(({ path }) => path === (words[0] ?? "runs"));
  for (const link of nav.children) {
    if (link.dataset.path === page?.path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  tell("connecting");
  document.title = `${words.at(-1) ? `${brief(words)} · ` : ""}Paddock`;
  main.replaceChildren();
  window.scrollTo(0, 0);
  if (!page || !plainWords(words) || (words.length > 1 && words.length !== page.deep)) {
    fill(main, empty("There is no such page", h("a", { href: "#/runs" }, "Go to the runs")));
    tell("ended");
  } else {
    (words.length > 1 ? page.one : page.show)(main, { words: words.slice(1), query, signal: leave.signal, tell });
  }
  if (focus) (main.querySelector("h1") ?? main).focus({ preventScroll: true });
}

function brief(words) {
  const page = PAGES.find(({ path }) => path === words[0]);
  return words.length === 1 && page ? page.title : visible(words.at(-1));
}

function logIn(message, code) {
  leave.abort();
  document.title = "Log in · Paddock";
  loginPage(app, { message, code, ended: logIn, done: enter });
}

let shell;
function enter() {
  if (!location.hash || location.hash === "#/") history.replaceState(null, "", "#/runs");
  shell = frame();
  show(shell);
}

applyTheme();
window.addEventListener("hashchange", () => { if (session.user) show(shell); });
window.addEventListener("pagehide", () => leave.abort());
window.addEventListener("pageshow", (event) => { if (event.persisted && session.user) show(shell); });  // kept by the browser, with nothing live in it
setInterval(() => tick(app), 1000);
bindKeys(PAGES, () => Boolean(session.user));
resume(app, { ended: logIn, done: enter, otherwise: logIn });
