#include "node-agent/snippets/warm_sandbox.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "common/os/socket.h"

namespace paddock::snippets {
namespace {

constexpr size_t kMaxResult = size_t{64} << 20;  // both streams, six bytes for each of theirs
constexpr Millis kResultTime{10'000};            // for a launcher to end what is over

}  // namespace

Result<std::unique_ptr<WarmSandbox>> WarmSandbox::launch(const std::string& socket,
                                                         const contracts::LaunchRequest& request) {
  ASSIGN_OR_RETURN(auto launched, launch::AttachedLaunch::order(socket, request, kMaxResult));
  return std::unique_ptr<WarmSandbox>(new WarmSandbox(std::move(launched)));
}

bool WarmSandbox::ready() {
  char byte = 0;
  if (!ready_) ready_ = recv(launch_.talk(), &byte, 1, MSG_DONTWAIT) == 1;
  return ready_;
}

void WarmSandbox::send() {
  while (!unsent_.empty()) {
    const ssize_t n = os::send_some(launch_.talk(), unsent_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) unsent_ = {};  // nobody reads it; the result will say why
    if (n > 0) unsent_.remove_prefix(static_cast<size_t>(n));
  }
  shutdown(launch_.talk(), SHUT_WR);
}

void WarmSandbox::begin(std::string_view input, Millis wall_time, const Clock& clock) {
  end_.emplace(wall_time + kResultTime, clock.mono());
  unsent_ = input;
  launch_.begin(wall_time);
  send();
}

Result<contracts::SandboxResult> WarmSandbox::finish(int drop, const Clock& clock) {
  while (!launch_.has_result()) {
    std::array<pollfd, 3> fds = {{{launch_.events(), POLLIN, 0},
                                  {drop, POLLIN, 0},
                                  {unsent_.empty() ? -1 : launch_.talk(), POLLOUT, 0}}};
    const int count = poll(fds.data(), fds.size(), end_->poll_ms(clock.mono()));
    if (count == 0 && end_->left(clock.mono()) <= Millis(0)) {
      if (woken_ || !launch_.wake()) {
        launch_.destroy();
        return launch::launcher_lost();
      }
      woken_ = true;
      end_.emplace(kResultTime, clock.mono());
    }
    if (fds[1].revents != 0) {
      launch_.end();
      return Error{Code::kUnavailable, "DROPPED", "the caller is gone"};
    }
    if (fds[2].revents != 0) send();
    if (fds[0].revents != 0) TRY(launch_.read_events());  // output: the result repeats all of it
  }
  return launch_.take_result();
}

}  // namespace paddock::snippets
