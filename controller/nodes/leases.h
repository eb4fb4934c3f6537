// Knows when each node was last heard from, and which agent process speaks for it. In memory on
// purpose: a heartbeat is not worth a disk write. After the controller was away, every node gets a
// fresh lease, so that no run is lost because of that. Any thread.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "common/base/result.h"
#include "common/base/time.h"

namespace paddock::nodes {

// Both clocks at one moment: the calendar for records, the steady one for leases.
struct Now {
  WallTime wall;
  MonoTime mono;
};
inline Now now(const Clock& clock) { return {clock.wall(), clock.mono()}; }

// Without a call for this long a node is not ready and gets nothing new.
inline constexpr Millis kLease{15'000};
// Without a call for this long its runs are given up (reason NODE_LOST): within 5 s of the lease
// they are placed anew where they may be.
inline constexpr Millis kLostAfter{18'000};

struct LeaseTimes {
  Millis lease = kLease;
  Millis lost_after = kLostAfter;
};

class LeaseTable {
 public:
  // `started`: when this controller came up; nobody is late before that.
  explicit LeaseTable(MonoTime started, LeaseTimes times = {})
      : times_(times), state_(State{started, {}}) {}

  const LeaseTimes& times() const { return times_; }

  // A call of an agent process. The first one, or one with a larger generation, speaks for the node
  // from now on; Conflict (SESSION_SUPERSEDED) for any other.
  Status renew(const std::string& node, const std::string& process, int64_t generation, Now now);
  // This controller was away until now: whatever was said meanwhile, it could not hear. All leases
  // begin anew, as after a restart.
  void begin_anew(MonoTime now);
  // Time since the last call; since the controller's start, or the end of its last absence, if
  // there was none after that.
  Millis silence(const std::string& node, MonoTime now) const;
  std::optional<WallTime> last_seen(const std::string& node) const;
  void forget(const std::string& node);

  // The stored state of a node that a call without a status could change.
  struct StoredState {
    int64_t resource_version = 0;  // committed
    std::map<std::string, std::string> labels;
    friend bool operator==(const StoredState&, const StoredState&) = default;
  };
  // Notes that a call brought nothing new. The next call with the same state needs no read of the
  // store.
  void know(const std::string& node, StoredState known);
  bool knows(const std::string& node, const StoredState& known) const;

 private:
  struct Entry {
    std::string process;
    int64_t generation = 0;
    MonoTime renewed;
    WallTime seen;
    StoredState known;
  };
  struct State {
    MonoTime listening;  // since when nobody was missed
    std::map<std::string, Entry> entries;
  };
  LeaseTimes times_;
  Guarded<State> state_;
};

}  // namespace paddock::nodes
