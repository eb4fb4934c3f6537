// The cluster's active runs, nodes, grants and sessions, kept up to date from the store's history
// of changes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "controller/reconciler/array_table.h"
#include "controller/reconciler/queue_count.h"
#include "controller/reconciler/session_troubles.h"
#include "controller/scheduler/cluster.h"
#include "controller/store/store.h"

namespace paddock::reconciler {

class ClusterCache {
 public:
  explicit ClusterCache(scheduler::Cluster::Config config);

  // Reads what changed since the last call; everything if that is not known any more.
  Status catch_up(store::ReadTxn& txn);
  void throw_away() { version_ = -1; }
  bool whole() const { return version_ >= 0; }
  int64_t reloads() const { return reloads_; }

  scheduler::Cluster& cluster() { return *cluster_; }
  const scheduler::Cluster& cluster() const { return *cluster_; }
  // Nodes that hold a lease, as stored; and nodes that are being emptied, by when.
  const std::set<std::string>& ready_nodes() const { return ready_; }
  const std::map<std::string, WallTime>& drains() const { return drains_; }
  // Nodes that rest, by until when.
  const std::map<std::string, WallTime>& resting() const { return resting_; }
  // Active runs by deadline, as long as nothing was done about it.
  const std::set<std::pair<int64_t, std::string>>& deadlines() const { return deadlines_; }
  // Active runs by the end of the grace that their deletion left them, where their own is longer.
  const std::set<std::pair<int64_t, std::string>>& kills() const { return kills_; }
  // Whether it has this run, which is active then.
  bool knows(const std::string& uid) const { return runs_.contains(uid); }
  // A session that is on its way to the store counts from hold() to let_go(), and further if it is
  // there by then.
  void hold(const contracts::Sandbox& session);
  void let_go(const std::string& uid);
  const QueueCount& queue() const { return queue_; }
  // Sessions that are to be told of their nodes.
  const SessionTroubles& troubles() const { return troubles_; }
  ArrayTable& arrays() { return arrays_; }

 private:
  Status load(store::ReadTxn& txn);
  Status reread(store::ReadTxn& txn, std::string_view kind, const store::Key& key);
  void put(const contracts::Run& run);
  void put(const contracts::Node& node);
  void put(const store::Key& key, const std::optional<contracts::Grant>& grant);
  void put(const store::Key& key, const std::optional<contracts::Sandbox>& session);
  void drop_run(const std::string& uid);
  void drop_node(const std::string& name);

  struct CachedRun {
    std::string name_space;
    int64_t deadline_ms = 0;
    int64_t kill_ms = 0;
  };
  scheduler::Cluster::Config config_;
  std::unique_ptr<scheduler::Cluster> cluster_;
  int64_t version_ = -1;
  int64_t reloads_ = 0;
  std::unordered_map<std::string, CachedRun> runs_;      // by uid
  std::unordered_map<std::string, std::string> uid_of_;  // by "<namespace>/<name>"
  QueueCount queue_;
  ArrayTable arrays_;
  struct CountedSession {
    std::string name_space;
    std::string path;  // "<namespace>/<name>"
    scheduler::Charge charge;
  };
  std::unordered_map<std::string, std::string> sessions_;  // that live: uid by "<namespace>/<name>"
  std::unordered_map<std::string, CountedSession> held_;   // by uid
  SessionTroubles troubles_;
  std::set<std::string> ready_;
  std::map<std::string, WallTime> drains_;
  std::map<std::string, WallTime> resting_;
  std::set<std::pair<int64_t, std::string>> deadlines_;
  std::set<std::pair<int64_t, std::string>> kills_;
};

}  // namespace paddock::reconciler
