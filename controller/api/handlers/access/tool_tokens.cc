#include "controller/api/handlers/access/tool_tokens.h"

#include <algorithm>
#include <array>

#include "common/contracts/api_paths.h"
#include "common/crypto/digest.h"
#include "controller/api/handlers/access/tool_token_kind.h"
#include "controller/api/objects/creates.h"
#include "controller/api/objects/spec_differences.h"
#include "controller/auth/token.h"
#include "controller/auth/tool_token.h"
#include "controller/nodes/registry.h"
#include "controller/store/tool_token_writes.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::ToolToken;

Error run_error(Code code, Reason reason, const std::string& message) {
  return {code, reason, message, {{"spec.run", message}}};
}

// What only a single run has: of an array or a gang each element or member has its own.
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

// Its secret and its times; the run it is for must be one that has not ended.
Status issue(ToolToken& token, const Run& run, Services& services, WallTime now) {
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

// Of a token in a run's environment: until the run must have ended, and a little more.
Millis life_of(const Run& run) {
  const Millis most = contracts::kLongestToolTokenLife;
  if (!run.spec.timeout) return most;
  return std::min(most, run.spec.timeout->value + contracts::kToolTokenLife);
}

ToolToken token_for(const Run& run, const contracts::ToolTokenRequest& request) {
  ToolToken token;
  token.metadata.generate_name = cat(run.metadata.name.substr(0, 50), "-");
  token.spec = {run.metadata.name, request.operations, request.endpoints, request.ttl,
                request.revoke_on_stream_end};
  return token;
}

Status name_it(ToolToken& token, const std::string& name_space, Services& services) {
  ASSIGN_OR_RETURN(
      token.metadata,
      k8s::new_metadata(token.metadata, {name_space, make_uuid(services.random),
                                         make_suffix(services.random), services.clock.wall()}));
  return {};
}

// As long as the holder's own, where that is shorter than what is usual.
void shorten(contracts::ToolTokenRequest& request, const auth::ToolAuthority& parent,
             WallTime now) {
  if (request.endpoints.empty()) {
    request.endpoints = contracts::endpoints_of(request.operations);
    std::erase_if(request.endpoints, [&](const std::string& endpoint) {
      return std::ranges::find(parent.endpoints, endpoint) == parent.endpoints.end();
    });
  }
  if (!request.ttl)
    request.ttl = wire::Duration{std::min(contracts::kToolTokenLife, parent.expires - now)};
}

}  // namespace

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
  return issue(token, *run, services, services.clock.wall());
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
  return store::revoke_tool_tokens(
      txn, token.status.run_uid, contracts::RevokeReason::kManual, now,
      [&](const ToolToken& other) { return other.status.parent == token.metadata.name; });
}

Status KindTraits<ToolToken>::save_marked(store::WriteTxn& txn, ToolToken& token, WallTime now) {
  TRY(txn.update(token));
  return store::revoke_tool_token(txn, token, contracts::RevokeReason::kManual, now);
}

namespace {

// As if the token had been created in its collection, with the run in the request: with the token,
// this is forgotten.
Result<IdempotencyKey> run_token_key(const Call& call, const Run& run) {
  ASSIGN_OR_RETURN(IdempotencyKey key, idempotency_key(call));
  if (key.scope.empty()) return key;
  key.scope =
      cat(call.principal.token_id, " ",
          contracts::paths::collection(run.metadata.name_space,
                                       std::string(k8s::resource_of(ToolToken::kKind).plural)));
  key.digest = cat(run.metadata.uid, " ", key.digest);
  return key;
}

// Without its secret, of which only a hash is kept.
Response told_again(const Call& call, ToolToken& token) {
  KindTraits<ToolToken>::complete(call.services, token);
  return object_response(token);
}

Status save_recorded(store::WriteTxn& txn, const Call& call, ToolToken& token) {
  TRY(KindTraits<ToolToken>::save_new(call.services, txn, token, call.now()));
  return record(txn, call, contracts::audit::kObjectCreate, "tooltokens", token.metadata);
}

}  // namespace

Result<Response> make_run_token(Call& call) {
  ASSIGN_OR_RETURN(auto request, wire::decode<contracts::ToolTokenRequest>(call.body));
  ASSIGN_OR_RETURN(const Run run, run_named(call.services, call.key()));
  ASSIGN_OR_RETURN(const IdempotencyKey key, run_token_key(call, run));
  ASSIGN_OR_RETURN(std::optional<ToolToken> earlier, find_earlier<ToolToken>(call, key));
  if (earlier) return told_again(call, *earlier);
  const auto& parent = call.principal.tool;
  const WallTime now = call.now();
  if (parent) shorten(request, *parent, now);
  ToolToken token = token_for(run, request);
  TRY(name_it(token, run.metadata.name_space, call.services));
  TRY(issue(token, run, call.services, now));
  if (parent) {
    TRY(auth::check_narrower(*parent, token));
    token.status.parent = parent->token;
  } else {
    TRY(KindTraits<ToolToken>::check_maker(call.principal, token));
  }
  const Status stored = call.services.store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto names, earlier_creates(txn, key));
    if (!names.empty()) {
      ASSIGN_OR_RETURN(earlier, txn.find<ToolToken>({call.param("ns"), names.front()}));
      if (earlier) return {};
    }
    TRY(save_recorded(txn, call, token));
    return remember_create(txn, key, token.metadata.name);
  });
  if (!stored.ok()) return stored.error();
  if (earlier) return told_again(call, *earlier);  // made meanwhile
  return secret_response(wire::encode(token));
}

Result<Response> revoke_token(Call& call) {
  ToolToken token;
  const Status revoked = call.services.store.write_freeing([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(token, txn.get<ToolToken>(call.key()));
    const std::string before = token.metadata.resource_version;
    TRY(store::revoke_tool_token(txn, token, contracts::RevokeReason::kManual, call.now()));
    if (token.metadata.resource_version == before) return {};  // it had ended
    return record(txn, call, contracts::audit::kObjectUpdate, "tooltokens", token.metadata);
  });
  if (!revoked.ok()) return revoked.error();
  KindTraits<ToolToken>::complete(call.services, token);
  return object_response(token);
}

Result<Response> make_environment_token(Call& call) {
  ASSIGN_OR_RETURN(const auto request, wire::decode<contracts::RunTokenRequest>(call.body));
  ASSIGN_OR_RETURN(const Run run,
                   nodes::assigned_run(call.services.store, call.param("node"), call.param("uid")));
  if (!run.spec.tool_token)
    return Error{Code::kFailedPrecondition, "TOOL_TOKEN_NOT_WANTED",
                 "the run did not ask for a tool token"};
  if (run.status.attempt != request.attempt)
    return Error{Code::kConflict, "STALE_ATTEMPT", "this is not the run's current attempt"};
  ToolToken token = token_for(run, *run.spec.tool_token);
  if (!token.spec.ttl) token.spec.ttl = wire::Duration{life_of(run)};
  TRY(name_it(token, run.metadata.name_space, call.services));
  TRY(issue(token, run, call.services, call.now()));
  token.status.attempt = request.attempt;
  const auto older = [](const ToolToken& other) { return other.status.attempt > 0; };
  const Status stored = call.services.store.write([&](store::WriteTxn& txn) -> Status {
    TRY(store::revoke_tool_tokens(txn, run.metadata.uid, contracts::RevokeReason::kManual,
                                  call.now(), older));
    return save_recorded(txn, call, token);
  });
  if (!stored.ok()) return stored.error();
  return secret_response(wire::encode(contracts::RunTokenAnswer{token.status.token}));
}

}  // namespace paddock::api
