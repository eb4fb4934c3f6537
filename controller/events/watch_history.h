// The newest changes of every kind, in memory, for watches: each reads on from a resource version
// of its own. Bounded; a watch that is further behind than what is kept gets Gone and lists again.
// If one namespace has more than half of what is kept, its oldest changes are dropped first;
// otherwise the oldest of all are. So a caller that writes without end loses its own changes, and
// the other half is always left to the others. A new process begins with an empty history at the
// store's resource version. Any thread; starts none. Wire it up with StoreOptions::on_changes.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/guarded.h"
#include "controller/store/store.h"

namespace paddock::events {

// The texts are the object's JSON and shared between changes and readers.
struct ObjectChange {
  int64_t resource_version = 0;
  store::Key key;
  std::shared_ptr<const std::string> before;  // null when it was created
  std::shared_ptr<const std::string> after;   // null when it was deleted
};

class WatchHistory {
 public:
  struct Limits {  // of each kind
    size_t changes = 50'000;
    size_t bytes = size_t{64} << 20;
  };
  explicit WatchHistory(Limits limits) : limits_(limits) {}
  WatchHistory() : WatchHistory(Limits{}) {}

  // History begins behind this version. What was published before is forgotten: a watch that has
  // not read it yet gets Gone, and has to be woken to hear that.
  void begin(int64_t resource_version);
  // From now on until reopen() a watch gets `why` in place of changes, and has to be woken for
  // that. What is published meanwhile is kept.
  void close(const Error& why);
  void reopen();
  // The version of what was published last, or where it begins.
  int64_t up_to() const;
  void publish(std::vector<store::ObjectWrite> changes);

  struct Look {
    std::vector<std::shared_ptr<const ObjectChange>> changes;  // in order
    int64_t up_to = 0;  // every change of this kind up to here was looked at
  };
  // At most `most` changes of a kind after a resource version, of one namespace or of all. Gone
  // (RESOURCE_VERSION_TOO_OLD); or why it is closed.
  Result<Look> after(std::string_view kind, int64_t resource_version, size_t most,
                     const std::optional<std::string>& name_space = {}) const;

 private:
  using Text = std::shared_ptr<const std::string>;
  using Change = std::shared_ptr<const ObjectChange>;
  struct Space {
    int64_t lost_up_to = 0;  // changes up to here are not kept
    size_t bytes = 0;
    std::deque<Change> changes;
    std::map<std::string, Text> newest;  // by object, while it is kept
  };
  // By namespace; the empty name is for objects of the cluster.
  using Spaces = std::map<std::string, Space, std::less<>>;
  struct Kind {
    int64_t lost_up_to = 0;  // of any namespace
    size_t bytes = 0;
    std::map<int64_t, Change> changes;  // of all namespaces, by version
    Spaces spaces;
    // The namespaces that may have more than half: only one that is written to can grow.
    Space* most_bytes = nullptr;
    Space* most_changes = nullptr;
  };
  struct State {
    std::optional<Error> closed;
    int64_t begun_at = 0;
    int64_t up_to = 0;
    std::map<std::string, Kind, std::less<>> kinds;
  };
  static void add(Kind& kind, Space& space, store::ObjectWrite change);
  static void drop_oldest(Kind& kind, Space& space);
  static Space& space_of_oldest(Kind& kind);
  void trim(Kind& kind, Space& written) const;
  static void take(const Space& space, int64_t after, size_t count, std::vector<Change>& out);
  static void take(const Kind& kind, int64_t after, size_t count, std::vector<Change>& out);
  // Null: nothing of it was changed since the beginning.
  template <class From>
  static Result<Look> look_into(const State& state, const From* from, int64_t resource_version,
                                size_t most);

  const Limits limits_;
  Guarded<State> state_;
};

}  // namespace paddock::events
