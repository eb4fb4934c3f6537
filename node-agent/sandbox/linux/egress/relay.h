// Bytes both ways between two connected sockets. Each way holds at most one piece that the other
// side has not taken; until it has, nothing more is read. A side that ends its sending is passed on
// as that and no more (half-close). Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/os/fd.h"
#include "node-agent/sandbox/linux/egress/event_loop.h"

namespace paddock::sandbox {

class Relay {
 public:
  static constexpr size_t kPiece = 16 << 10;
  using Moved = std::function<void(int64_t sent, int64_t received)>;

  // `first` goes to the server before anything else. `moved` is told what reached either side.
  Relay(EventLoop& loop, os::Fd client, os::Fd server, std::string first, Moved moved);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  bool finished() const { return finished_; }

 private:
  struct Way {
    std::string waiting;
    int64_t bytes = 0;
    bool ended = false;   // the sender has sent all
    bool closed = false;  // and the receiver was told
  };
  static bool pump(int from, int to, Way& way);
  void step();
  void want();
  void finish(bool broken);

  EventLoop& loop_;
  os::Fd client_;
  os::Fd server_;
  Moved moved_;
  Way up_;
  Way down_;
  EventLoop::Token client_token_ = 0;
  EventLoop::Token server_token_ = 0;
  bool finished_ = false;
};

// Closes with a reset: the peer sees an error and not an end.
void reset_connection(os::Fd& fd);

}  // namespace paddock::sandbox
