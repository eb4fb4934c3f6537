#include "node-agent/sandbox/linux/launcher/output_relay.h"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "node-agent/sandbox/result/output_pipe.h"

namespace paddock::sandbox {
namespace {

// A process outside may hold the pipe's other end (the command can hand it over), and so may a
// system call of a killed process: the number of reads is bounded, so that neither can keep us
// here.
void read_what_is_left(os::Fd& pipe, OutputStream& stream, MonoTime now) {
  constexpr int kMostReads = 1024;
  for (int i = 0; i < kMostReads && pipe.valid(); ++i) read_output(pipe, stream, now, true);
  pipe.reset();
}

}  // namespace

OutputRelay::OutputRelay(os::Fd out, os::Fd err, const LauncherLimits& limits, int64_t inline_bytes,
                         EventWriter& events)
    : out_(std::move(out)), err_(std::move(err)), events_(events), outputs_(limits, inline_bytes) {}

void OutputRelay::add_to(PollSet& turn, const MonoTime& now) {
  if (events_.waiting()) turn.add(events_.fd(), POLLOUT, nullptr);
  if (events_.congested() || budget_.rests_until(now)) return;
  turn.add(out_.get(), POLLIN, [this, &now](short) { read_some(out_, outputs_.out, now); });
  turn.add(err_.get(), POLLIN, [this, &now](short) { read_some(err_, outputs_.err, now); });
}

void OutputRelay::read_some(os::Fd& pipe, OutputStream& stream, MonoTime now) {
  const int64_t before = stream.beyond();
  read_output(pipe, stream, now, false);
  budget_.spend(now, stream.beyond() - before);
}

void OutputRelay::finish(MonoTime now) {
  read_what_is_left(out_, outputs_.out, now);
  read_what_is_left(err_, outputs_.err, now);
  outputs_.finish(now);
}

bool OutputRelay::flush(MonoTime now, bool all) {
  outputs_.flush(now, all, [&](contracts::FrameType type, const std::string& piece) {
    events_.add(type, piece);
  });
  events_lost_ = events_lost_ || !events_.write_some().ok();
  return !events_lost_;
}

MonoTime OutputRelay::next(MonoTime now, MonoTime latest) const {
  for (const std::optional<MonoTime>& time :
       {outputs_.flush_at(), budget_.rests_until(now), events_.retry_at()}) {
    if (time) latest = std::min(latest, *time);
  }
  return latest;
}

}  // namespace paddock::sandbox
