// What the API asks of the kind Node.
#pragma once

#include "common/contracts/node.h"
#include "controller/api/objects/common_answers.h"
#include "controller/reconciler/queue_reservation.h"

namespace paddock::api {

template <>
struct KindTraits<contracts::Node> {
  using Node = contracts::Node;
  static k8s::Labels selectable_fields(const Node& object) {
    return common_fields(object.metadata);
  }
  static void complete(Services& services, Node& object);
  static constexpr bool kStoredWhole = false;
  static constexpr bool kOfStoreAlone = false;
  static constexpr auth::Scope kReadScope = auth::Scope::kNodesRead;
  static void narrow(const ListQuery&, store::ListOptions&) {}
  static std::map<std::string, std::string> audit_details(const Node&) { return {}; }

  static constexpr bool kCreatable = false;
  static Error not_creatable();

  static Status check_changer(const auth::Principal&, const Node&, Node&) { return {}; }
  // Uncordoning ends a drain, as `paddock uncordon` does; a node cannot be emptied and filled at
  // once.
  static Status check_update(Services& services, const Node& live, Node& next);
  static Status check_status_update(const Node&, const Node&) { return refuse_status("node"); }
  static Status save_update(Services& services, store::WriteTxn& txn, Node& next, WallTime now);
  static std::vector<std::string_view> update_events(const Node&, const Node&) {
    return {contracts::audit::kObjectUpdate};
  }
  static Status after_update(const Call&, Node&) { return {}; }
  // Nodes are removed by a handler of their own.
  static Status let_go(store::WriteTxn&, const Node&, WallTime) { return {}; }
};

}  // namespace paddock::api
