#include "node-agent/sandbox/event_writer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

namespace paddock::sandbox {

EventWriter::EventWriter(os::Fd fd, const Clock& clock) : fd_(std::move(fd)), clock_(clock) {
  // A ready pipe takes PIPE_BUF bytes without blocking.
  chunk_ = os::is_regular_file(fd_) ? SIZE_MAX : size_t{PIPE_BUF};
}

void EventWriter::add(contracts::FrameType type, std::string_view payload) {
  pending_ += contracts::frame_header(type, clock_.wall().ms, payload.size());
  pending_ += payload;
  pending_ += '\n';
}

Status EventWriter::write_some() {
  while (!pending_.empty()) {
    pollfd ready{fd_.get(), POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) return {};
    const ssize_t n = write(fd_.get(), pending_.data(), std::min(pending_.size(), chunk_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return {};
    if (n < 0) return system_error("writing the events", errno);
    pending_.erase(0, static_cast<size_t>(n));
  }
  return {};
}

Status EventWriter::write_rest() {
  while (!pending_.empty()) {
    pollfd ready{fd_.get(), POLLOUT, 0};
    poll(&ready, 1, -1);
    TRY(write_some());
  }
  return {};
}

}  // namespace paddock::sandbox
