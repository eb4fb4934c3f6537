#include "node-agent/sessions/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "common/launch/order.h"
#include "common/os/fd.h"
#include "common/wire/json.h"

namespace paddock::sessions {
namespace {

constexpr size_t kMaxResult = size_t{128} << 20;  // both streams, six bytes for each of theirs
constexpr Millis kResultTime{15'000};             // for a launcher to end what is over

Error lost() {
  return {Code::kUnavailable, "LAUNCHER_LOST", "the sandbox's launcher died; try again"};
}

Result<os::Fd> request_file(const contracts::LaunchRequest& request) {
  os::Fd file(memfd_create("request", MFD_CLOEXEC));
  if (!file.valid()) return system_error("making the request's file", errno);
  TRY(os::write_all(file.get(), wire::to_json(wire::encode(request))));
  if (lseek(file.get(), 0, SEEK_SET) != 0) return system_error("the request's file", errno);
  return file;
}

class Following {
 public:
  static Result<Following> launch(const CommandRun& run) {
    ASSIGN_OR_RETURN(const os::Fd file, request_file(run.request));
    ASSIGN_OR_RETURN(os::Pipe events, os::make_pipe());
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return system_error("making the input's socket", errno);
    const os::Fd outside(ends[0]);
    const os::Fd inside(ends[1]);
    shutdown(outside.get(), SHUT_WR);  // a command has no input: it reads the end of it
    launch::OrderFiles files;
    files.request = file.get();
    files.events = events.write.get();
    files.input = inside.get();
    Following out;
    ASSIGN_OR_RETURN(out.launched_, launch::order_launch(run.socket, files));
    if (fcntl(events.read.get(), F_SETFL, O_NONBLOCK) != 0)
      return system_error("the launch's channel", errno);
    out.events_ = std::move(events.read);
    return out;
  }

  Result<contracts::SandboxResult> follow(const CommandRun& run, const Clock& clock) {
    const Millis wall = run.request.policy.limits.wall_time
                            ? run.request.policy.limits.wall_time->value
                            : Millis(std::chrono::hours(24));
    (void)launch::begin_fed(launched_, wall);  // one that has ended says why in its result
    const MonoTime end = clock.mono() + wall + kResultTime;
    std::vector<pollfd> fds = {{events_.get(), POLLIN, 0}};
    for (const int stop : run.stops) fds.push_back({stop, POLLIN, 0});
    while (!result_) {
      const auto left = std::clamp<int64_t>((end - clock.mono()).count(), 0, 60'000);
      const int count = poll(fds.data(), fds.size(), static_cast<int>(left));
      if (count == 0 && clock.mono() >= end) return lost();
      if (std::any_of(fds.begin() + 1, fds.end(), [](const pollfd& fd) { return fd.revents != 0; }))
        stop(fds);
      if (fds[0].revents != 0) TRY(read_events(run));
    }
    return std::move(*result_);
  }

 private:
  // A fed run ends with its client.
  void stop(std::vector<pollfd>& fds) {
    launched_.connection.reset();
    for (auto fd = fds.begin() + 1; fd != fds.end(); ++fd) *fd = {-1, 0, 0};
  }

  Status read_events(const CommandRun& run) {
    std::array<char, 65536> piece;
    const ssize_t n = read(events_.get(), piece.data(), piece.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return {};
    if (n <= 0) return lost();
    frames_.append(piece.data(), static_cast<size_t>(n));
    std::string_view rest = frames_;
    contracts::Frame frame;
    while (!result_) {
      ASSIGN_OR_RETURN(const bool whole, contracts::take_frame(rest, frame));
      if (!whole) break;
      TRY(take(run, frame));
    }
    frames_.erase(0, frames_.size() - rest.size());
    return {};
  }

  Status take(const CommandRun& run, const contracts::Frame& frame) {
    using contracts::FrameType;
    if (frame.type == FrameType::kStdout || frame.type == FrameType::kStderr) {
      if (run.on_output) run.on_output(frame.type, frame.payload);
      return {};
    }
    if (frame.type != FrameType::kResult) return {};
    ASSIGN_OR_RETURN(const wire::Value document,
                     wire::parse_json(frame.payload, {.max_bytes = kMaxResult}));
    ASSIGN_OR_RETURN(result_, wire::decode<contracts::SandboxResult>(document));
    return {};
  }

  launch::Launched launched_;
  os::Fd events_;
  std::string frames_;
  std::optional<contracts::SandboxResult> result_;
};

}  // namespace

Result<contracts::SandboxResult> run_command(const CommandRun& run, const Clock& clock) {
  ASSIGN_OR_RETURN(Following following, Following::launch(run));
  return following.follow(run, clock);
}

}  // namespace paddock::sessions
