#include "controller/api/handlers/access/tool_token_kind.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/crypto/digest.h"
#include "controller/api/handlers/access/tool_tokens.h"
#include "controller/api/objects/spec_differences.h"
#include "controller/auth/token.h"
#include "controller/auth/tool_token.h"
#include "controller/store/tool_token_writes.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::ToolToken;

Error run_error(Code code, Reason reason, const std::string& message) {
  return {code, reason, message, {{"spec.run", message}}};
}

// These operations need a single run: an array or a gang has artifacts, media and tool results only
// in its elements or members.
constexpr std::array kOfSingleRuns = {contracts::kReadArtifacts, contracts::kGenerateMedia,
                                      contracts::kWriteToolResults};

Status check_has(const Run& run, const std::vector<std::string>& operations) {
  if (!contracts::is_array(run.spec)) return {};
  const std::string& name = run.metadata.name;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (std::ranges::find(kOfSingleRuns, operations[i], &contracts::ToolUse::operation) ==
        kOfSingleRuns.end())
      continue;
    const int64_t last = contracts::element_count(run.spec) - 1;
    const std::string message =
        cat(name, contracts::is_gang(run.spec) ? " is a gang" : " is an array", ", and ",
            operations[i], " is of single runs: make a token for each of ",
            contracts::element_name(name, 0), " to ", contracts::element_name(name, last));
    return Error{Code::kFailedPrecondition,
                 "RUN_IS_ARRAY",
                 message,
                 {{cat("spec.operations[", i, "]"), message}}};
  }
  return {};
}

Error too_many(std::string message) {
  return {Code::kResourceExhausted, "TOO_MANY_TOOL_TOKENS", std::move(message)};
}

// A program may make tokens for as long as it runs: what they cost must not grow with that.
Status check_count(store::WriteTxn& txn, const std::string& run_uid, WallTime now) {
  ASSIGN_OR_RETURN(const std::vector<store::Key> keys, txn.tool_tokens_of(run_uid));
  if (keys.size() < kMostToolTokens) return {};
  size_t active = 0;
  for (const store::Key& key : keys) {
    ASSIGN_OR_RETURN(const ToolToken each, txn.get<ToolToken>(key));
    const auto phase = contracts::status_at(each.status, now).phase;
    active += phase == contracts::ToolTokenPhase::kActive ? 1 : 0;
  }
  if (active < kMostToolTokens && keys.size() < kMostToolTokensKept) return {};
  return too_many(cat("a run has at most ", kMostToolTokens,
                      " tool tokens that are good, and at most ", kMostToolTokensKept,
                      " in all; revoke or delete some of them"));
}

Status check_depth(store::WriteTxn& txn, const ToolToken& token) {
  std::string parent = token.status.parent;
  for (size_t depth = 0; !parent.empty(); ++depth) {
    if (depth == kToolTokenDepth)
      return too_many(
          cat("a tool token may come of another, at most ", kToolTokenDepth, " times over"));
    ASSIGN_OR_RETURN(const auto found, txn.find<ToolToken>({token.metadata.name_space, parent}));
    parent = found ? found->status.parent : "";
  }
  return {};
}

}  // namespace

Status issue_tool_token(ToolToken& token, const Run& run, Services& services, WallTime now) {
  if (contracts::is_terminal(run.status.phase)) {
    return run_error(Code::kFailedPrecondition, "RUN_FINISHED",
                     cat("run ", run.metadata.name, " has ended; nothing can use a token of it"));
  }
  TRY(check_has(run, token.spec.operations));
  if (token.spec.endpoints.empty())
    token.spec.endpoints = contracts::endpoints_of(token.spec.operations);
  if (!token.spec.ttl) token.spec.ttl = wire::Duration{contracts::kToolTokenLife};
  token.status.run_uid = run.metadata.uid;
  token.status.issued_at = wire::Timestamp{now};
  token.status.expires_at = wire::Timestamp{now + token.spec.ttl->value};
  token.status.token = crypto::make_token(services.random, contracts::kToolTokenPrefix);
  return {};
}

Result<Run> run_named(Services& services, const store::Key& key) {
  Result<Run> run = Run{};
  TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
    run = txn.get<Run>(key);
    return {};
  }));
  return run;
}

k8s::Labels KindTraits<ToolToken>::selectable_fields(const ToolToken& token) {
  k8s::Labels fields = common_fields(token.metadata);
  fields["spec.run"] = token.spec.run;
  return fields;
}

Status KindTraits<ToolToken>::check_update(Services&, const ToolToken& live, ToolToken& next) {
  return immutable(spec_differences(live, next, "a tool token cannot change; create another one"));
}

void KindTraits<ToolToken>::complete(Services& services, ToolToken& token) {
  token.status = contracts::status_at(token.status, services.clock.wall());
}

Status KindTraits<ToolToken>::check_maker(const auth::Principal& maker, const ToolToken& token) {
  return auth::check_operations(maker, token);
}

Status KindTraits<ToolToken>::prepare_new(Services& services, ToolToken& token) {
  const auto run = run_named(services, {token.metadata.name_space, token.spec.run});
  if (!run) {
    if (run.error().code != Code::kNotFound) return run.error();
    return run_error(Code::kFailedPrecondition, "RUN_NOT_FOUND",
                     cat("there is no run ", token.spec.run, " in this namespace"));
  }
  return issue_tool_token(token, *run, services, services.clock.wall());
}

Status KindTraits<ToolToken>::save_new(Services&, store::WriteTxn& txn, ToolToken& token,
                                       WallTime now) {
  ASSIGN_OR_RETURN(const Run run, txn.run_by_uid(token.status.run_uid));
  if (contracts::is_terminal(run.status.phase))
    return run_error(Code::kFailedPrecondition, "RUN_FINISHED", "the run has ended");
  if (!token.status.parent.empty()) {
    ASSIGN_OR_RETURN(const auto parent,
                     txn.find<ToolToken>({token.metadata.name_space, token.status.parent}));
    TRY(auth::authenticate_tool(parent, now));
  }
  TRY(check_count(txn, run.metadata.uid, now));
  TRY(check_depth(txn, token));
  const std::string secret = std::exchange(token.status.token, {});
  TRY(txn.create(token));
  TRY(txn.put_tool_secret({token.metadata.uid, auth::token_hash(secret), run.metadata.uid,
                           token.status.expires_at->value.ms}));
  token.status.token = secret;
  return {};
}

Status KindTraits<ToolToken>::prepare_delete(store::WriteTxn& txn, const ToolToken& token,
                                             WallTime now) {
  if (token.status.run_uid.empty())  // it could not be read; those that it made name it
    return store::revoke_tool_tokens_made_by(txn, token, contracts::RevokeReason::kManual, now);
  return store::revoke_tool_tokens(
      txn, token.status.run_uid, contracts::RevokeReason::kManual, now,
      [&](const ToolToken& other) { return other.status.parent == token.metadata.name; });
}

Status KindTraits<ToolToken>::save_marked(store::WriteTxn& txn, ToolToken& token, WallTime now) {
  TRY(txn.update(token));
  return store::revoke_tool_token(txn, token, contracts::RevokeReason::kManual, now);
}

}  // namespace paddock::api
