// Who looks? A token, kept for this tab or for this page.
import { logIn, logOut } from "./api.mjs";
import { fill, h, setText } from "./dom.mjs";
import { sleep } from "./live.mjs";
import { forget, keep, kept } from "./tab_token.mjs";
import { visible } from "./text.mjs";
import { themeButton } from "./theme.mjs";
import { command, notice, words } from "./ui.mjs";

const AGAIN_MS = 1500;

const ADVICE = {
  TOKEN_UNKNOWN: "The controller knows no such token. It may have been copied only in part, or be another controller's.",
  TOKEN_REVOKED: "Somebody revoked this token. Ask for a new one.",
  TOKEN_EXPIRED: "This token's time is over. Ask for a new one.",
  TOOL_ENDPOINT_DENIED: "This is the tool token of a run; it opens that run's own endpoints and no others.",
  UNREACHABLE: "Is the controller running? On its host, `paddock status` says so.",
};

function explain(error) {
  return notice("bad", visible(error.message),
    h("p", {}, error.code && h("code", {}, visible(error.code)), error.code && ADVICE[error.code] ? " · " : "", words(ADVICE[error.code] ?? "")));
}

const brand = (...title) => h("div", { class: "login-brand" }, h("img", { src: "/dashboard/icon.svg", alt: "", width: 40, height: 40 }), title);

function whereFrom() {
  return h("details", {}, h("summary", {}, "Where do I get a token?"),
    h("p", {}, "For an instance of your own, its admin token is what ", command("paddock kubeconfig"), " prints as ", command("token"), "."),
    h("p", {}, "For a shared controller, ask whoever runs it. Reading needs ", command("runs:read"), " and ",
      command("nodes:read"), "; cancelling ", command("runs:write"), "; the audit log ", command("audit:read"), "."));
}

export function loginPage(app, { message, code, ended, done }) {
  const field = h("input", {
    id: "token", type: "password", name: "token", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    placeholder: "pdk_…", required: true, "aria-describedby": "token-note",
  });
  const stays = h("input", { id: "stays", type: "checkbox", checked: true });
  const button = h("button", { class: "primary", type: "submit" }, "Log in");
  const answer = h("div", { class: "login-answer", "aria-live": "polite" }, message && notice("warn", visible(message), code && h("p", {}, h("code", {}, visible(code)))));
  const submit = async (event) => {
    event.preventDefault();
    const secret = field.value.trim();
    if (!secret || button.disabled) return;
    button.disabled = true;
    setText(button, "Logging in…");
    try {
      await logIn(secret, ended);
      if (stays.checked) keep(secret);
      else forget();
      field.value = "";
      done();
    } catch (error) {
      fill(answer, explain(error));
      field.focus();
      field.select();
    } finally {
      button.disabled = false;
      setText(button, "Log in");
    }
  };
  fill(app, h("main", { class: "login" },
    h("form", { class: "login-card", on: { submit } },
      brand(h("h1", {}, "Paddock")),
      h("label", { for: "token" }, "Token"),
      field,
      h("div", { class: "field-check" }, stays, h("label", { for: "stays" }, "Stay logged in until this tab is closed")),
      h("p", { id: "token-note", class: "faint" }, "Kept for this tab alone; without the box in the page's memory, and gone when you reload."),
      answer, button, whereFrom()),
    h("div", { class: "login-foot" }, themeButton())));
  field.focus();
}

// With the token that was kept for the tab. A controller that is away is waited for; whoever has another token need not.
export async function resume(app, { ended, done, otherwise }) {
  const secret = kept();
  if (!secret) return otherwise("", "");
  const gaveUp = new AbortController();
  const state = h("p", { role: "status" }, "Logging in…");
  const other = h("button", { type: "button", on: { click: () => { gaveUp.abort(); logOut(); otherwise("", ""); } } }, "Use another token");
  fill(app, h("main", { class: "login" }, h("div", { class: "login-card" }, h("div", { class: "login-brand" }, h("img", { src: "/dashboard/icon.svg", alt: "", width: 40, height: 40 }), h("h1", {}, "Paddock")), state, other)));
  while (!gaveUp.signal.aborted) {
    try {
      await logIn(secret, ended);
      return gaveUp.signal.aborted ? undefined : done();
    } catch (error) {
      if (gaveUp.signal.aborted) return undefined;
      if (error.status !== 0) {
        forget();
        return otherwise(error.message, error.code);
      }
      setText(state, "The controller does not answer. Trying again…");
      await sleep(AGAIN_MS, gaveUp.signal);
    }
  }
  return undefined;
}
