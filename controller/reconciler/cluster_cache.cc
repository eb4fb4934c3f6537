#include "controller/reconciler/cluster_cache.h"

#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "controller/runs/transitions.h"

namespace paddock::reconciler {

namespace {
std::string path_of(const store::Key& key) { return cat(key.name_space, "/", key.name); }

bool is_watched(std::string_view kind) {
  return kind == contracts::Node::kKind || kind == contracts::Run::kKind ||
         kind == contracts::Grant::kKind || kind == contracts::Sandbox::kKind;
}

}  // namespace

ClusterCache::ClusterCache(scheduler::Cluster::Config config)
    : config_(std::move(config)), cluster_(std::make_unique<scheduler::Cluster>(config_)) {}

Status ClusterCache::catch_up(store::ReadTxn& txn) {
  if (!whole()) return load(txn);
  ASSIGN_OR_RETURN(const auto changes, txn.changes_after(version_));
  if (!changes) return load(txn);
  ASSIGN_OR_RETURN(const int64_t version, txn.resource_version());
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<store::NewObject> due;
  for (const auto& change : *changes) {
    if (!is_watched(change.kind)) continue;
    if (seen.emplace(change.kind, path_of(change.key)).second)
      due.push_back({change.kind, change.key});
  }
  TRY(txn.expect_objects(due));
  for (const store::NewObject& each : due) TRY(reread(txn, each.kind, each.key));
  version_ = version;
  return {};
}

Status ClusterCache::load(store::ReadTxn& txn) {
  throw_away();
  ++reloads_;
  cluster_ = std::make_unique<scheduler::Cluster>(config_);
  runs_.clear();
  uid_of_.clear();
  queue_.clear();
  arrays_.clear();
  ready_.clear();
  drains_.clear();
  resting_.clear();
  deadlines_.clear();
  kills_.clear();
  sessions_.clear();
  troubles_.clear();
  ASSIGN_OR_RETURN(const int64_t version, txn.resource_version());
  ASSIGN_OR_RETURN(const auto nodes, txn.list<contracts::Node>({}));
  for (const contracts::Node& node : nodes.items) put(node);
  ASSIGN_OR_RETURN(const auto grants, txn.list<contracts::Grant>({}));
  for (const contracts::Grant& grant : grants.items)
    put({grant.metadata.name_space, grant.metadata.name}, grant);
  TRY(txn.visit_active_runs([this](const contracts::Run& run) { put(run); }));
  ASSIGN_OR_RETURN(const auto sessions,
                   txn.list<contracts::Sandbox>({.active = true, .leave_out = true}));
  for (const contracts::Sandbox& session : sessions.items)
    put({session.metadata.name_space, session.metadata.name}, session);
  for (const auto& [uid, held] : held_) cluster_->put_charge(uid, held.name_space, held.charge);
  version_ = version;
  return {};
}

Status ClusterCache::reread(store::ReadTxn& txn, std::string_view kind, const store::Key& key) {
  if (kind == contracts::Node::kKind) {
    ASSIGN_OR_RETURN(const auto node, txn.look_at<contracts::Node>(key));
    if (node) {
      put(*node);
    } else {
      drop_node(key.name);
    }
  } else if (kind == contracts::Run::kKind) {
    ASSIGN_OR_RETURN(const auto run, txn.look_at<contracts::Run>(key));
    const auto known = uid_of_.find(path_of(key));
    // Another run of the same name may have come after one that was deleted.
    const bool replaced = known != uid_of_.end() && (!run || run->metadata.uid != known->second);
    if (!run || replaced) arrays_.drop(key);
    if (replaced) {
      drop_run(known->second);
      cluster_->remove_run(known->second);
      uid_of_.erase(known);
    }
    if (run) put(*run);
  } else if (kind == contracts::Grant::kKind) {
    ASSIGN_OR_RETURN(const auto grant, txn.find<contracts::Grant>(key));
    put(key, grant);
  } else if (kind == contracts::Sandbox::kKind) {
    ASSIGN_OR_RETURN(const auto session, txn.find_readable<contracts::Sandbox>(key));
    put(key, session);
  }
  return {};
}

void ClusterCache::put(const contracts::Run& run) {
  const std::string& uid = run.metadata.uid;
  drop_run(uid);
  const bool array = contracts::is_array(run.spec);
  if (array) {
    arrays_.put_array(run);
  } else {
    cluster_->put_run(run);
  }
  if (run.status.element) arrays_.put_element(run);
  const std::string path = path_of({run.metadata.name_space, run.metadata.name});
  if (contracts::is_terminal(run.status.phase)) {
    uid_of_.erase(path);
    return;
  }
  uid_of_[path] = uid;
  const bool pending = run.status.phase == contracts::RunPhase::kPending;
  CachedRun known;
  queue_.put(run);
  const bool ending = run.status.eviction || (run.spec.cancel_requested && (!pending || array));
  if (run.status.deadline_at && !ending) {
    known.deadline_ms = run.status.deadline_at->value.ms;
    deadlines_.emplace(known.deadline_ms, uid);
  }
  if (const std::optional<WallTime> at = runs::killed_by_deletion(run)) {
    known.kill_ms = at->ms;
    kills_.emplace(known.kill_ms, uid);
  }
  runs_[uid] = std::move(known);
}

// Forgets the run in this cache's own tables; the caller tells the Cluster.
void ClusterCache::drop_run(const std::string& uid) {
  const auto known = runs_.find(uid);
  if (known == runs_.end()) return;
  deadlines_.erase({known->second.deadline_ms, uid});
  kills_.erase({known->second.kill_ms, uid});
  queue_.drop(uid);
  runs_.erase(known);
}

void ClusterCache::put(const contracts::Node& node) {
  const std::string& name = node.metadata.name;
  cluster_->put_node(node);
  ready_.erase(name);
  drains_.erase(name);
  resting_.erase(name);
  const auto& cool_down = node.status.cool_down;
  if (cool_down && cool_down->until) resting_[name] = cool_down->until->value;
  if (node.status.ready) ready_.insert(name);
  if (node.spec.drain) drains_[name] = node.spec.drain->evict_at.value;
  troubles_.put_node(node);
}

void ClusterCache::put(const store::Key& key, const std::optional<contracts::Grant>& grant) {
  const bool holds = grant && !grant->metadata.deletion_timestamp;
  cluster_->put_quota(key.name_space, key.name,
                      holds ? contracts::quota_of(grant->spec) : std::nullopt);
}

// A session's charge never changes, since everything that it depends on is fixed when the session
// is made. A new session may have the name of one that was destroyed.
void ClusterCache::put(const store::Key& key, const std::optional<contracts::Sandbox>& session) {
  const bool lives = session && session->status.phase != contracts::SandboxPhase::kEnded;
  troubles_.drop_session({key.name_space, key.name});
  if (session) troubles_.put_session(*session);
  const std::string path = path_of(key);
  const auto known = sessions_.find(path);
  if (known != sessions_.end()) {
    if (lives && known->second == session->metadata.uid) return;
    cluster_->remove_charge(known->second);
    sessions_.erase(known);
  }
  if (!lives) return;
  sessions_[path] = session->metadata.uid;
  cluster_->put_charge(session->metadata.uid, key.name_space, scheduler::charge_of(*session));
}

void ClusterCache::hold(const contracts::Sandbox& session) {
  const CountedSession held{session.metadata.name_space,
                            path_of({session.metadata.name_space, session.metadata.name}),
                            scheduler::charge_of(session)};
  cluster_->put_charge(session.metadata.uid, held.name_space, held.charge);
  held_[session.metadata.uid] = held;
}

void ClusterCache::let_go(const std::string& uid) {
  const auto held = held_.extract(uid);
  if (held.empty()) return;
  const auto stored = sessions_.find(held.mapped().path);
  if (stored == sessions_.end() || stored->second != uid) cluster_->remove_charge(uid);
}

void ClusterCache::drop_node(const std::string& name) {
  cluster_->remove_node(name);
  ready_.erase(name);
  drains_.erase(name);
  resting_.erase(name);
  troubles_.drop_node(name);
}

}  // namespace paddock::reconciler
