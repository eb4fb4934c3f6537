// Who may do what: grants and how much of their quotas is used, secrets by name, tokens. No value of a secret and no
// secret of a token is ever here: the API does not tell them, and nothing here would show them.
import { pathWord } from "./address.mjs";
import { act, collection, may, remove } from "./api.mjs";
import { ask } from "./dialogs.mjs";
import { fill, h } from "./dom.mjs";
import { bytes, clock, time } from "./format.mjs";
import { grantLimits, quotaRows } from "./grant_words.mjs";
import { listSection, polledSection } from "./list_section.mjs";
import { runLink } from "./run_table.mjs";
import { brief, visible } from "./text.mjs";
import { ago, badge, heading, meter } from "./ui.mjs";

const named = ({ name, namespace }) => [h("strong", {}, visible(name)), namespace && h("span", { class: "namespace" }, visible(namespace))];
const chips = (texts) => texts.map((text) => h("code", { class: "label" }, brief(text, 120)));
const shown = (name) => (name === "memory" || name === "disk" ? bytes : String);

function quotaMeters(grant) {
  const rows = quotaRows(grant);
  if (rows.length === 0) return h("span", { class: "faint" }, "none");
  return h("div", { class: "quota" }, rows.map(({ name, used, whole }) => meter(name, used, whole, `${shown(name)(used)} of ${shown(name)(whole)}`)));
}

const GRANTS = {
  title: "Grants", id: "grants", plural: "grants", scope: "grants:read", name: "grants", numbers: [4],
  columns: ["Name", "For", "Bounds", "Quota", "Age"],
  row: (grant) => [named(grant.metadata), chips(grant.spec.subjects ?? []), chips([grant.spec.parent && `part of ${grant.spec.parent}`, ...grantLimits(grant.spec)].filter(Boolean)), quotaMeters(grant), ago(grant.metadata.creationTimestamp)],
  none: "None: callers are bounded by their scopes alone.",
};

const SECRETS = {
  title: "Secrets", id: "secrets", plural: "secrets", scope: "secrets:read", numbers: [3],
  columns: ["Name", "Values", "By", "Age"],
  row: ({ metadata, status = {} }) => [named(metadata), chips((status.values ?? []).map((each) => `${each.name} (${bytes(each.bytes)})`)), visible(status.createdBy ?? ""), ago(metadata.creationTimestamp)],
  none: "None. `paddock secret create` keeps values that runs get and nobody reads again.", note: "The names of values and their lengths: nobody reads the values again.",
};

const PHASES = { Active: "good", Expired: "stopped", Revoked: "stopped" };

function revokeTool({ metadata }, signal) {
  ask({ title: `Revoke ${visible(metadata.name)}?`, danger: true, signal, yes: "Revoke the token", no: "Keep it", body: h("p", {}, "What still uses it is refused from now on."),
    act: () => act({ path: `${collection("tooltokens", metadata.namespace)}/${pathWord(metadata.name)}`, uid: metadata.uid }, "revoke") });
}

const toolTokens = (signal) => ({
  title: "Tool tokens", id: "tool-tokens", plural: "tooltokens", scope: "runs:read",
  columns: ["Name", "State", "Run", "Good for", "Until", ""],
  row: (token) => [named(token.metadata), badge(token.status?.phase ?? "Active", PHASES[token.status?.phase] ?? "info"), runLink(token.metadata.namespace, token.spec.run), chips(token.spec.operations ?? []),
    token.status?.expiresAt ? clock(time(token.status.expiresAt)) : "–",
    token.status?.phase === "Active" && may("runs:write") && h("button", { type: "button", class: "small", on: { click: () => revokeTool(token, signal) } }, "Revoke")],
  none: "None: they are credentials of single runs, made by `paddock token create` or with a run that asks for one.",
});

const accessTokens = (signal, again) => ({
  title: "Tokens", id: "tokens", path: "/admin/tokens", scope: "admin",
  columns: ["Id", "Subject", "Scopes", "Namespace", "Until", ""],
  row: (token) => [h("code", {}, visible(token.id)), h("strong", {}, visible(token.subject)), chips(token.scopes ?? []), visible(token.namespace || "all"), token.expiresAt ? clock(time(token.expiresAt)) : "never",
    h("button", { type: "button", class: "small", on: { click: () => ask({
      title: `Revoke the token of ${visible(token.subject)}?`, danger: true, signal, yes: "Revoke the token", no: "Keep it", body: h("p", {}, "Who has it is refused from now on. ", h("code", {}, visible(token.id))),
      act: async () => { await remove(`/admin/tokens/${pathWord(token.id)}`); again(); },
    }) } }, "Revoke")],
  none: "None.", note: "Tokens of people and programs that are still good. A secret is shown when it is made and never again: `paddock admin token create NAME`.",
});

export function access(main, { signal, tell }) {
  const tokens = polledSection(accessTokens(signal, () => tokens.again()), { signal });
  const live = { signal, tell };
  const parts = [[GRANTS, "grants:read"], [SECRETS, "secrets:read"]].map(([what, scope], i) => listSection(what, i === 0 && may(scope) ? live : { signal }));
  if (!may("grants:read")) tell("ended");
  fill(main, heading("Access"), parts, tokens.element, listSection(toolTokens(signal), { signal }));
}
