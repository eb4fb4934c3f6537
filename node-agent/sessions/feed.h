// Writes a command's input into its pipe or terminal, as fast as the command reads. One thread.
#pragma once

#include <poll.h>

#include <array>
#include <string>
#include <string_view>

#include "node-agent/launch/attached_launch.h"
#include "node-agent/sessions/live_input.h"

namespace paddock::sessions {

class Feed {
 public:
  // `whole` is all of it, unless there is `live`; both outlive it.
  Feed(launch::AttachedLaunch& command, std::string_view whole, LiveInput* live)
      : command_(command), rest_(whole), live_(live) {}

  static constexpr size_t kPlaces = 4;
  // The descriptors that it waits for.
  std::array<pollfd, kPlaces> places() const;
  // Does what became possible.
  void handle(const std::array<pollfd, kPlaces>& seen);

 private:
  void take();
  void resize();
  void write_some();
  void give_up();
  bool can_write() const { return command_.talk() >= 0 && !rest_.empty(); }

  launch::AttachedLaunch& command_;
  std::string_view rest_;
  LiveInput* live_;
  std::string taken_;  // what rest_ is of
  bool had_end_ = false;
};

}  // namespace paddock::sessions
