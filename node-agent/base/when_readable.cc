#include "node-agent/base/when_readable.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <utility>

namespace paddock::agent {

WhenReadable::WhenReadable(int fd, std::function<void()> then)
    : thread_([this, fd, then = std::move(then)] {
        std::array<pollfd, 2> fds = {pollfd{fd, POLLIN, 0}, pollfd{end_.fd(), POLLIN, 0}};
        while (::poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) {
        }
        if (fds[0].revents != 0) then();
      }) {}

WhenReadable::~WhenReadable() {
  end_.raise();
  thread_.join();
}

}  // namespace paddock::agent
