// The agent's talk with its controller, from its first credential to its leave.
#pragma once

#include <optional>
#include <set>

#include "node-agent/sync/sync_loop.h"
#include "node-agent/uplink/clock_watch.h"
#include "node-agent/uplink/credentials.h"
#include "node-agent/uplink/identity.h"

namespace paddock::agent {

class Conversation {
 public:
  Conversation(NodeIdentity node, Credentials& credentials, Random& random)
      : node_(std::move(node)), credentials_(credentials), random_(random) {}

  // The credential on the disk, or a first one.
  Status take_credential();
  // Talks until told to stop. When the controller does not know our credential any more, takes a
  // newer one from the disk, or the one before it; else enrols again, once.
  Status run(sync::SyncLoop& loop);
  // Best effort: a controller that is not there hears of it by our silence. `begun`: runs that are
  // not taken on elsewhere; absent: none is.
  void take_leave(sync::SyncLoop& loop, const std::optional<std::set<sync::RunKey>>& begun);
  // A node on a host that goes away is not listed for ever; while a run of it is there, it is. Best
  // effort, after take_leave().
  void leave_for_good();

 private:
  Status enrol();

  const NodeIdentity node_;
  Credentials& credentials_;
  Random& random_;
  ClockWatch clocks_;
};

}  // namespace paddock::agent
