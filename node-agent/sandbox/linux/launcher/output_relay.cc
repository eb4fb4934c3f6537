#include "node-agent/sandbox/linux/launcher/output_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "node-agent/sandbox/result/output_pipe.h"

namespace paddock::sandbox {
namespace {

constexpr int kMostReads = 1024;  // of a terminal, that somebody outside may go on writing to

// What a byte costs that somebody is shown, in bytes of the budget, so that a command that writes
// forever is slowed. Some 6 MiB a second are read from a terminal, which is more than anybody can
// follow, and some 20 from pipes, which carry archives too.
constexpr int64_t kTerminalCost = 31;
constexpr int64_t kShownCost = 9;
constexpr Millis kUnused{100};  // a terminal that nobody has open is looked at again so soon

}  // namespace

OutputRelay::OutputRelay(os::Fd out, os::Fd err, const LauncherLimits& limits, int64_t inline_bytes,
                         EventWriter& events)
    : out_(std::move(out)),
      err_(std::move(err)),
      events_(events),
      outputs_(limits, limits.shown ? 0 : inline_bytes),
      all_is_shown_(limits.shown) {}

void OutputRelay::read_terminal(os::Fd terminal) {
  if (fcntl(terminal.get(), F_SETFL, O_NONBLOCK) != 0) return;
  outputs_.out.hand_on_at_once();
  terminal_ = std::move(terminal);
}

// While the command has it open, or somebody else may open it anew, it stays: its end is not ours
// to say. False: there is nothing to be read now.
bool OutputRelay::read_some_of_terminal(MonoTime now) {
  char bytes[4 << 10];
  const ssize_t n = read(terminal_.get(), bytes, sizeof bytes);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (n <= 0) {
    unused_until_ = now + kUnused;
    return false;
  }
  unused_until_.reset();
  outputs_.out.append({bytes, static_cast<size_t>(n)}, now);
  budget_.spend(now, n * kTerminalCost);
  return true;
}

void OutputRelay::add_to(PollSet& turn, const MonoTime& now) {
  if (events_.waiting()) turn.add(events_.fd(), POLLOUT, nullptr);
  if (events_.congested() || budget_.rests_until(now)) return;
  turn.add(out_.get(), POLLIN, [this, &now](short) { read_some(out_, outputs_.out, now); });
  turn.add(err_.get(), POLLIN, [this, &now](short) { read_some(err_, outputs_.err, now); });
  if (unused_until_ && now < *unused_until_) return;
  turn.add(terminal_.get(), POLLIN, [this, &now](short) { read_some_of_terminal(now); });
}

void OutputRelay::read_some(os::Fd& pipe, OutputStream& stream, MonoTime now) {
  const int64_t written = stream.written();
  const int64_t beyond = stream.beyond();
  read_output(pipe, stream, now, false);
  budget_.spend(
      now, all_is_shown_ ? (stream.written() - written) * kShownCost : stream.beyond() - beyond);
}

void OutputRelay::finish(MonoTime now) {
  read_what_is_left(out_, outputs_.out, now);
  read_what_is_left(err_, outputs_.err, now);
  for (int i = 0; i < kMostReads && terminal_.valid(); ++i) {
    if (!read_some_of_terminal(now)) break;
  }
  terminal_.reset();
  outputs_.finish(now);
}

void OutputRelay::describe(contracts::SandboxResult& result) const {
  outputs_.describe(result);
  if (!all_is_shown_) return;
  result.out.clear();
  result.err.clear();
  result.truncated = {};
}

bool OutputRelay::flush(MonoTime now, bool all) {
  outputs_.flush(now, all, [&](contracts::FrameType type, const std::string& piece) {
    events_.add(type, piece);
  });
  events_lost_ = events_lost_ || !events_.write_some().ok();
  return !events_lost_;
}

MonoTime OutputRelay::next(MonoTime now, MonoTime latest) const {
  const auto unused = unused_until_ && now < *unused_until_ ? unused_until_ : std::nullopt;
  for (const std::optional<MonoTime>& time :
       {outputs_.flush_at(), budget_.rests_until(now), events_.retry_at(), unused}) {
    if (time) latest = std::min(latest, *time);
  }
  return latest;
}

}  // namespace paddock::sandbox
