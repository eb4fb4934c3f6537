// Many kept connections, looked after by one thread: whoever has something to read is called.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bench/control/wire.h"

namespace paddock::bench {

class Crowd {
 public:
  // Takes what came; the number is that of its connection.
  using Take = std::function<void(size_t number, std::string text)>;

  Crowd();
  // Sends the request, and from then on hands over what comes.
  size_t add(Wire wire, std::string_view request);
  void send(size_t number, std::string_view request);
  void leave(size_t number);  // hangs up
  // Until `over` holds, looked at after each round, or for so long.
  void run(double ms, const Take& take, const std::function<bool()>& over);
  size_t size() const { return wires_.size(); }

 private:
  os::Fd epoll_;
  std::vector<std::unique_ptr<Wire>> wires_;
};

}  // namespace paddock::bench
