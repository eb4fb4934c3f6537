#include "controller/api/handlers/calls/calls.h"

#include <algorithm>
#include <array>

#include "common/contracts/calls.h"
#include "common/contracts/node.h"
#include "controller/api/server/documents.h"
#include "controller/calls/relay.h"

namespace paddock::api {
namespace {

// What a snippet never asks for. All else that canaries prove, it needs.
constexpr std::array<std::string_view, 4> kNotNeeded = {"tools", "devices", "allowDomains",
                                                        "accounts"};

bool held(const contracts::Canary& canary) {
  return canary.passed || std::ranges::find(kNotNeeded, canary.capability) != kNotNeeded.end();
}

// Nothing is given to a node that is cordoned, has a full disk or another fault, or on which a
// canary failed.
Result<bool> takes_calls(Call& call) {
  contracts::Node node;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(node, txn.get<contracts::Node>({"", call.param("node")}));
    return {};
  }));
  return !node.spec.unschedulable && contracts::unfit(node.status) == nullptr &&
         std::ranges::all_of(node.status.canaries, held);
}

}  // namespace

Result<Response> serve_node_calls(Call& call) {
  ASSIGN_OR_RETURN(const auto request, wire::decode<contracts::CallsRequest>(call.body));
  calls::Relay& relay = *call.services.calls;
  const std::string node = call.param("node");
  const auto eligible = [&] {
    const uint64_t seen = relay.changes();  // before it is read
    if (const auto known = relay.known_eligible(node)) return *known;
    const auto takes = takes_calls(call);
    if (takes.ok()) relay.know_eligible(node, seen, *takes);
    return takes.ok() && *takes;
  };
  ASSIGN_OR_RETURN(const contracts::CallsAnswer answer,
                   relay.serve({node, request.session, request.lane}, request, eligible,
                               call.request.client, call.services.clock));
  return object_response(answer);
}

}  // namespace paddock::api
