// Links to a workspace's files that work without a token, for a while: what a browser's frame can
// load. Each is a random name; kept in memory only, so a restart ends them all. Any thread.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "common/base/random.h"
#include "common/base/time.h"

namespace paddock::projects {

struct PreviewTarget {
  std::string name_space;
  std::string workspace;
  std::string uid;  // a workspace that was made anew under this name is another one
};

class PreviewScopes {
 public:
  static constexpr Millis kLife = std::chrono::hours(1);
  static constexpr size_t kMost = 4096;  // beyond, one goes

  std::string open(PreviewTarget target, MonoTime now, Random& random);
  std::optional<PreviewTarget> find(const std::string& scope, MonoTime now) const;

 private:
  struct Entry {
    PreviewTarget target;
    MonoTime until;
  };
  struct State {
    std::map<std::string, Entry> by_scope;
    std::multimap<MonoTime, std::string> by_end;
    std::map<std::string, size_t> counts;  // by namespace
  };
  static void forget(State& state, std::multimap<MonoTime, std::string>::iterator which);
  static void forget_one(State& state);

  Guarded<State> state_;
};

}  // namespace paddock::projects
