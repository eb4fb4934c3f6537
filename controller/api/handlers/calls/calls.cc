#include "controller/api/handlers/calls/calls.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "common/contracts/calls.h"
#include "common/contracts/node.h"
#include "controller/api/server/documents.h"
#include "controller/calls/relay.h"

namespace paddock::api {
namespace {

// Capabilities that a snippet never uses. It needs all others that canaries prove.
constexpr std::array<std::string_view, 4> kNotNeeded = {"tools", "devices", "allowDomains",
                                                        "accounts"};

bool held(const contracts::Canary& canary) {
  return canary.passed || std::ranges::find(kNotNeeded, canary.capability) != kNotNeeded.end();
}

// No call goes to a node that is cordoned, has a full disk or another fault, or on which a canary
// failed.
Result<bool> takes_calls(Services& services, const std::string& name) {
  contracts::Node node;
  TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(node, txn.get<contracts::Node>({"", name}));
    return {};
  }));
  return !node.spec.unschedulable && contracts::unfit(node.status) == nullptr &&
         std::ranges::all_of(node.status.canaries, held);
}

// The same, remembered until the node changes.
Result<bool> may_take_calls(Services& services, const std::string& node) {
  calls::Relay& relay = *services.calls;
  const uint64_t seen = relay.changes();  // before it is read
  if (const auto known = relay.known_eligible(node)) return *known;
  const auto takes = takes_calls(services, node);
  if (takes.ok()) relay.know_eligible(node, seen, *takes);
  return takes;
}

// For these errors the node has to find out which controller leads now.
bool leads_no_more(const Error& error) {
  return is_one_of(error.reason, {"NOT_LEADER", "STORE_FENCED"});
}

// Whether a lane's node may take calls, as far as that is known without reading the store.
class Eligibility {
 public:
  Eligibility(Services& services, std::string node) : services_(services), node_(std::move(node)) {}
  bool known() const { return read_ || services_.calls->known_eligible(node_); }
  // False if the node has changed since it was read: then the lane reads it again.
  bool may() const {
    return services_.calls->known_eligible(node_).value_or(read_.value_or(false));
  }
  Status read() {
    const auto may = may_take_calls(services_, node_);
    read_ = may.ok() && *may;
    return may.ok() ? Status() : Status(may.error());
  }
  // Forgets what was read. It may be used once, since the node may change after that.
  void forget() { read_.reset(); }

 private:
  Services& services_;
  const std::string node_;
  std::optional<bool> read_;
};

class HeldLane final : public HeldAnswer {
 public:
  HeldLane(std::shared_ptr<calls::Relay::Lane> lane, std::shared_ptr<Eligibility> eligibility)
      : lane_(std::move(lane)), eligibility_(std::move(eligibility)) {}
  std::optional<Millis> wait(const std::shared_ptr<Waker>& waker) override {
    to_read_ = !eligibility_->known();
    if (to_read_) return std::nullopt;
    const auto limit = lane_->wait(waker);
    eligibility_->forget();
    return limit;
  }
  bool settle() override {
    if (!std::exchange(to_read_, false)) return true;
    if (Status read = eligibility_->read(); !read.ok() && leads_no_more(read.error()))
      ended_ = std::move(read);
    return !ended_.ok();
  }
  // If the lane was given a call, that has to be said, even by a controller that no longer leads:
  // no other one knows of it.
  Result<Response> make() override {
    contracts::CallsAnswer answer = lane_->finish();
    if (!ended_.ok() && !answer.call) return ended_.error();
    return object_response(answer);
  }

 private:
  const std::shared_ptr<calls::Relay::Lane> lane_;
  const std::shared_ptr<Eligibility> eligibility_;
  bool to_read_ = false;
  Status ended_;  // why the node has to ask another controller
};

}  // namespace

Result<Response> serve_node_calls(Call& call) {
  ASSIGN_OR_RETURN(const auto request, wire::decode<contracts::CallsRequest>(call.body));
  Services& services = call.services;
  const std::string node = call.param("node");
  const calls::LaneKey key{node, request.process, request.lane};
  if (!request.pieces.empty()) {
    TRY(services.calls->pass_on(key, request.pieces, services.clock));
    return object_response(contracts::CallsAnswer{});
  }
  const auto eligibility = std::make_shared<Eligibility>(services, node);
  const auto eligible = [eligibility] { return eligibility->may(); };
  ASSIGN_OR_RETURN(auto lane, services.calls->open(key, request, eligible, services.clock));
  Response response;
  response.later = std::make_shared<HeldLane>(std::move(lane), eligibility);
  return response;
}

}  // namespace paddock::api
