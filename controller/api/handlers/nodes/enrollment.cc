#include "controller/api/handlers/nodes/enrollment.h"

#include "common/contracts/enrollment.h"
#include "common/contracts/protocol.h"
#include "controller/api/handlers/nodes/nodes.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/auth/token.h"
#include "controller/nodes/credentials.h"
#include "controller/nodes/leases.h"

namespace paddock::api {
namespace {

nodes::Record recorder(const Call& call, std::string node, std::string_view type,
                       std::map<std::string, std::string> details = {}) {
  return [&call, node = std::move(node), type, details = std::move(details)](store::WriteTxn& txn) {
    contracts::ObjectMeta meta;
    meta.name = node;
    return record(txn, call, type, "nodes", meta, details);
  };
}

}  // namespace

Result<Response> make_enroll_token(Call& call) {
  ASSIGN_OR_RETURN(const auto request, wire::decode<contracts::EnrollTokenRequest>(call.body));
  const std::string& node = call.param("node");
  const auth::MintedToken token =
      auth::mint_token(call.services.random, contracts::kEnrollTokenPrefix);
  contracts::EnrollTokenAnswer answer;
  answer.id = token.id;
  answer.token = token.secret;
  answer.expires_at.value = call.now() + request.ttl.value;
  TRY(nodes::put_enroll_token(
      call.services.store, node, token, answer.expires_at.value,
      recorder(call, node, contracts::audit::kNodeToken, {{"made", token.id}})));
  return secret_response(wire::encode(answer));
}

Result<Response> enroll_node(Call& call) {
  ASSIGN_OR_RETURN(const int64_t protocol, agent_protocol(call.request));
  TRY(contracts::check_agent_protocol(protocol));
  ASSIGN_OR_RETURN(const auto request, wire::decode<contracts::EnrollRequest>(call.body));
  const std::string& node = call.param("node");
  const bool one_use = !auth::enrolled_node(call.principal.subject).empty();
  ASSIGN_OR_RETURN(
      const auto answer,
      nodes::enroll(call.services.store, node, request, call.now(), call.services.random,
                    recorder(call, node, contracts::audit::kNodeEnroll),
                    one_use ? call.principal.token_id : std::string()));
  Response response = secret_response(wire::encode(answer));
  say_protocol(response);
  return response;
}

Result<Response> rotate_credential(Call& call) {
  const std::string& node = call.param("node");
  auth::MintedToken fresh = auth::mint_token(call.services.random, contracts::kNodeTokenPrefix);
  fresh.id = cat("node-", node, "-", make_suffix(call.services.random, 8));
  TRY(nodes::rotate(call.services.store, node, call.principal.token_id, fresh,
                    recorder(call, node, contracts::audit::kNodeRotate, {{"made", fresh.id}})));
  return secret_response(wire::encode(contracts::CredentialAnswer{fresh.secret}));
}

Result<Response> leave_node(Call& call) {
  ASSIGN_OR_RETURN(const auto request, wire::decode<contracts::LeaveRequest>(call.body));
  const std::string& node = call.param("node");
  TRY(nodes::leave(call.services.store, call.services.leases, node, request.force,
                   recorder(call, node, contracts::audit::kNodeLeave)));
  return json_response(wire::Value::Object{});
}

}  // namespace paddock::api
