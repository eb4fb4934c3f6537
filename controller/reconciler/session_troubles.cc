#include "controller/reconciler/session_troubles.h"

#include <utility>

#include "controller/sessions/node_trouble.h"

namespace paddock::reconciler {
namespace {

std::string reason_of(const std::string& name, const contracts::Node* node) {
  const auto trouble = sessions::trouble_of(name, node);
  return trouble ? trouble->reason : "";
}

}  // namespace

void SessionTroubles::put_node(const contracts::Node& node) {
  const std::string& name = node.metadata.name;
  const std::string trouble = reason_of(name, &node);
  const auto [known, is_new] = troubles_.try_emplace(name, trouble);
  if (is_new || std::exchange(known->second, trouble) != trouble) compare_all(name);
}

void SessionTroubles::drop_node(const std::string& name) {
  if (troubles_.erase(name) > 0) compare_all(name);
}

void SessionTroubles::put_session(const contracts::Sandbox& session) {
  const Name name{session.metadata.name_space, session.metadata.name};
  drop_session(name);
  const std::string& node = session.status.node_name;
  if (node.empty() || session.status.phase == contracts::SandboxPhase::kEnded) return;
  const contracts::Condition* told = contracts::node_trouble(session.status);
  sessions_[name] = {node, told == nullptr ? "" : told->reason};
  by_node_[node].insert(name);
  compare(name);
}

void SessionTroubles::drop_session(const Name& name) {
  const auto known = sessions_.find(name);
  if (known == sessions_.end()) return;
  const auto on_it = by_node_.find(known->second.node);
  on_it->second.erase(name);
  if (on_it->second.empty()) by_node_.erase(on_it);
  untold_.erase(name);
  sessions_.erase(known);
}

void SessionTroubles::compare_all(const std::string& node) {
  const auto on_it = by_node_.find(node);
  if (on_it == by_node_.end()) return;
  for (const Name& name : on_it->second) compare(name);
}

void SessionTroubles::compare(const Name& name) {
  const Told& told = sessions_.at(name);
  const auto known = troubles_.find(told.node);
  const std::string trouble =
      known == troubles_.end() ? reason_of(told.node, nullptr) : known->second;
  if (trouble == told.reason) {
    untold_.erase(name);
  } else {
    untold_.insert(name);
  }
}

}  // namespace paddock::reconciler
