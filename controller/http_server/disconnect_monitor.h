// Notices clients that hang up: one thread watches the connections of all requests that are held,
// so that none of the requests' own threads has to wake to look. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "common/base/guarded.h"
#include "common/os/fd.h"
#include "controller/base/disconnect_token.h"
#include "controller/http_server/stop_signal.h"

namespace paddock::http_server {

class DisconnectMonitor {
 public:
  static Result<os::Fd> make_poll();

  DisconnectMonitor(os::Fd poll, const StopSignal& stop) : poll_(std::move(poll)), stop_(stop) {}

  // As DisconnectToken::when_gone() says. `connection` stays open, and this object lives, as long
  // as the watch. Once stopped, `wake` is called before this returns. Empty: the connection has one
  // already, or the kernel has no room for it.
  DisconnectWatch watch(int connection, std::function<void()> wake);
  // Wakes whom it concerns until the stop, which concerns everybody. One thread calls it.
  void tell_until_stopped();

 private:
  struct State {
    uint64_t last = 0;
    std::map<uint64_t, std::function<void()>> wakes;  // by watch; a connection's number comes round
    bool stopped = false;
  };
  void unwatch(int connection, uint64_t id);
  void tell(uint64_t id);
  void tell_all();

  os::Fd poll_;
  const StopSignal& stop_;
  Guarded<State> state_;
};

}  // namespace paddock::http_server
