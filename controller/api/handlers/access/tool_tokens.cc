#include "controller/api/handlers/access/tool_tokens.h"

#include <algorithm>

#include "common/contracts/api_paths.h"
#include "controller/api/handlers/access/tool_token_kind.h"
#include "controller/api/objects/creates.h"
#include "controller/api/server/documents.h"
#include "controller/auth/tool_token.h"
#include "controller/nodes/registry.h"
#include "controller/store/tool_token_writes.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::ToolToken;

// A token in a run's environment lives until the run must have ended, and a little longer.
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

// Fills in what the request leaves out: the endpoints that its operations need and that the
// holder's token has, and a life no longer than that of the holder's token.
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

// The key counts as if the token had been created in its collection with the run in the request. It
// is forgotten with the token.
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
  ASSIGN_OR_RETURN(auto request, decode_body<contracts::ToolTokenRequest>(call.body));
  ASSIGN_OR_RETURN(const Run run, run_named(call.services, call.key()));
  ASSIGN_OR_RETURN(const IdempotencyKey key, run_token_key(call, run));
  ASSIGN_OR_RETURN(std::optional<ToolToken> earlier, find_earlier<ToolToken>(call, key));
  if (earlier) return told_again(call, *earlier);
  const auto& parent = call.principal.tool;
  const WallTime now = call.now();
  if (parent) shorten(request, *parent, now);
  ToolToken token = token_for(run, request);
  TRY(name_it(token, run.metadata.name_space, call.services));
  TRY(issue_tool_token(token, run, call.services, now));
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
  ASSIGN_OR_RETURN(const auto request, decode_body<contracts::RunTokenRequest>(call.body));
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
  TRY(issue_tool_token(token, run, call.services, call.now()));
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
