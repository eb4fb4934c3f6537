// Knows which sessions have commands under way, since the idle time of a session does not pass
// meanwhile. In memory, as the commands are: both end with the controller. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "common/base/guarded.h"
#include "common/base/time.h"

namespace paddock::sessions {

class UnderWay {
 public:
  // One command; under way until end() or its destruction.
  class Command {
   public:
    Command(UnderWay& all, std::string uid, WallTime until);
    ~Command() { end(); }
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    void end();

   private:
    UnderWay& all_;
    std::string uid_;
    WallTime until_;
    bool ended_ = false;
  };

  // A command of the session `uid` that ends at `until` at the latest. Must not outlive this
  // object.
  std::unique_ptr<Command> begin(const std::string& uid, WallTime until) {
    return std::make_unique<Command>(*this, uid, until);
  }
  // How long the session's commands may still take; 0 if there are none.
  Millis busy(const std::string& uid, WallTime now) const;

 private:
  Guarded<std::map<std::string, std::multiset<WallTime>>>
      ends_;  // by session, each command's last moment
};

}  // namespace paddock::sessions
