// `paddock admin token create|list|revoke`: credentials of people and programs.
#include "cli/client/token_creation.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/output/output_format.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/table.h"
#include "common/base/percent.h"
#include "common/contracts/access_token.h"

namespace paddock::cli {
namespace {

using contracts::AccessToken;
using wire::Value;

constexpr const char* kTokens = "/admin/tokens";

Result<Value> revoke_token(client::ControllerClient& client, const std::string& id) {
  return client.send("DELETE", cat(kTokens, "/", percent_encode(id)), Value());
}

std::string place(const AccessToken& token) {
  return token.name_space.empty() ? "every namespace" : cat("namespace ", token.name_space);
}

Result<int> create_access_token(Watcher& watcher, const Parsed& parsed, const Env& env) {
  if (parsed.list("scope").empty())
    return invalid_argument("USAGE", "say what the token may do", "--scope");
  Value body = Value::Object{{"subject", parsed.text("SUBJECT")}, {"scopes", Value::Array{}}};
  for (const std::string& each : parsed.list("scope")) body.find("scopes")->push_back(each);
  if (parsed.has("namespace")) body.set("namespace", parsed.text("namespace"));
  if (parsed.has("ttl")) body.set("ttl", parsed.text("ttl"));
  ASSIGN_OR_RETURN(const Value answer,
                   create_token({.post =
                                     [&](const std::string& key) {
                                       return watcher.client.send("POST", kTokens, body, key);
                                     },
                                 .end = [&](const Value& made) -> Status {
                                   const auto revoked =
                                       revoke_token(watcher.client, made.text("id"));
                                   return revoked.ok() ? Status() : Status(revoked.error());
                                 },
                                 .secret = "token"},
                                env.random));
  ASSIGN_OR_RETURN(const auto made, wire::decode<AccessToken>(answer));
  env.out.write(cat(printable(made.token), "\n"));
  env.say(cat("token ", printable(made.id), " of ", printable(made.subject), " for ",
              printable(place(made)), ", until ", printable(answer.text("expiresAt")),
              "; its secret is not shown again"));
  return kExitOk;
}

Result<int> list(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  ASSIGN_OR_RETURN(const Value answer, watcher.client.get(kTokens));
  if (is_document(format)) {
    env.out.write(document_text(answer, format));
    return kExitOk;
  }
  ASSIGN_OR_RETURN(const auto tokens, wire::decode<contracts::AccessTokenList>(answer));
  Table table{{"ID", "SUBJECT", "NAMESPACE", "SCOPES", "EXPIRES"}, {}};
  for (const AccessToken& each : tokens.items) {
    const std::string until =
        each.expires_at ? format_time(each.expires_at->value) : std::string("never");
    table.rows.push_back({each.id, each.subject, each.name_space.empty() ? "*" : each.name_space,
                          join(each.scopes, ","), until});
  }
  env.out.write(render(table));
  return kExitOk;
}

Result<int> revoke(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const Value answer, revoke_token(watcher.client, parsed.text("ID")));
  env.say(cat("token ", printable(answer.text("id")), " of ", printable(answer.text("subject")),
              " is revoked"));
  return kExitOk;
}

}  // namespace

int access_token_create_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env,
               [&](Watcher& watcher) { return create_access_token(watcher, parsed, env); });
}

int access_token_list_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return list(watcher, parsed, env); });
}

int access_token_revoke_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return revoke(watcher, parsed, env); });
}

}  // namespace paddock::cli
