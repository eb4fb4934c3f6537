#include "controller/api/handlers/calls.h"

#include <algorithm>
#include <array>

#include "common/contracts/calls.h"
#include "common/contracts/node.h"
#include "controller/api/documents.h"

namespace paddock::api {
namespace {

constexpr Millis kLookEvery{1'000};

// What a snippet never asks for. All else that canaries prove, it needs.
constexpr std::array<std::string_view, 3> kNotNeeded = {"tools", "devices", "allowDomains"};

bool held(const contracts::Canary& canary) {
  return canary.passed || std::ranges::find(kNotNeeded, canary.capability) != kNotNeeded.end();
}

// Nothing is given to a node that is cordoned, or on which a canary failed.
Result<bool> takes_calls(Call& call) {
  contracts::Node node;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(node, txn.get<contracts::Node>({"", call.param("node")}));
    return {};
  }));
  return !node.spec.unschedulable && std::ranges::all_of(node.status.canaries, held);
}

}  // namespace

Result<Response> serve_node_calls(Call& call) {
  ASSIGN_OR_RETURN(const auto request, wire::decode<contracts::CallsRequest>(call.body));
  const Clock& clock = call.services.clock;
  const std::string topic = store::kind_topic(contracts::Node::kKind);
  bool takes = false;
  std::optional<MonoTime> looked;
  const auto eligible = [&] {
    const MonoTime now = clock.mono();
    if (looked && now - *looked < kLookEvery) return takes;
    looked = now;
    // Of all nodes: while none changes there is nothing to look at.
    const uint64_t newest = call.services.notifier.version(topic);
    const std::string node = call.param("node");
    if (const auto known = call.services.calls->known_eligible(node, newest)) return takes = *known;
    const auto answer = takes_calls(call);
    takes = answer.ok() && *answer;
    if (answer.ok()) call.services.calls->know_eligible(node, newest, takes);
    return takes;
  };
  ASSIGN_OR_RETURN(const contracts::CallsAnswer answer,
                   call.services.calls->serve(
                       {call.param("node"), request.session, request.lane}, request, eligible,
                       [&] { return call.request.connected(); }, clock));
  return object_response(answer);
}

}  // namespace paddock::api
