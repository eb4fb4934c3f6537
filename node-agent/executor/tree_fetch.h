// A run's trees, brought here: from this node's cache, or blob by blob from the controller, and
// never where there is no room for them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node-agent/executor/executor_ports.h"
#include "node-agent/executor/stop_signal.h"
#include "node-agent/workspace/materialize.h"

namespace paddock::executor {

struct TreeSource {
  std::string root;
  std::string volume;  // empty: the workspace
};

// The result of a fetch, for the run's log.
struct TreeNews {
  int64_t files = 0, bytes = 0, fetched = 0;
  bool cached = false;
  std::string text() const;
};

// Gives up when the run is stopped. Used only on the run's own thread.
class TreeFetch {
 public:
  // The arguments outlive this object.
  TreeFetch(const ExecutorPorts& ports, const std::string& run_uid, StopSignal& stop)
      : ports_(ports), run_uid_(run_uid), stop_(stop) {}

  // The tree's list of files. None of its content comes here.
  Result<contracts::Tree> fetch(const TreeSource& source, StopKind give_up = StopKind::kCancel);
  bool find_cached(const TreeSource& source, TreeNews& news) const;
  // The tree in this node's cache, fetched and made if it is not there yet.
  Status cache(const TreeSource& source, TreeNews& news);
  Status make_cached(const TreeSource& source, const contracts::Tree& tree, TreeNews& news);
  // A folder of its own with the tree's files.
  Status copy(const contracts::Tree& tree, const std::string& to, TreeNews& news,
              const workspace::Folders& more = {});
  // The user who owns the files here, if that is not the agent's own.
  std::optional<workspace::Owner> owner() const;
  // Bytes of a tree that this node had no room for; 0: of none.
  int64_t no_room_for() const { return no_room_for_; }

 private:
  using Missing = std::vector<const contracts::TreeEntry*>;
  // `what` comes of it, a path: who makes the same one at that time brings nothing more.
  Status with_blobs(const std::string& what, const contracts::Tree& tree, TreeNews& news,
                    const std::function<Status()>& use);
  Status fetch_blobs(const Missing& missing, TreeNews& news);
  Status fetch_one(RunTransport& controller, const contracts::TreeEntry& blob);
  Result<std::optional<devices::DiskLedger::Hold>> take_room(const std::string& what,
                                                             const contracts::Tree& tree,
                                                             const Missing& missing);
  std::unique_ptr<RunTransport> transport(StopKind give_up) const;

  const ExecutorPorts& ports_;
  const std::string& run_uid_;
  StopSignal& stop_;
  int64_t no_room_for_ = 0;
};

}  // namespace paddock::executor
