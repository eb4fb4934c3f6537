#include "node-agent/sandbox/result/event_writer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using contracts::FrameType;

constexpr Millis kLookAgainAfter{500};

// Or a file that is as large as the file system, or a limit of this process, lets it be.
bool has_no_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

}  // namespace

EventWriter::EventWriter(os::Fd fd, const Clock& clock) : fd_(std::move(fd)), clock_(clock) {
  // A ready pipe takes PIPE_BUF bytes without blocking.
  chunk_ = PIPE_BUF;
  if (!os::is_regular_file(fd_)) return;
  chunk_ = SIZE_MAX;
  room_.emplace(fd_.get());
}

void EventWriter::add(FrameType type, std::string_view payload) {
  const bool output = gap_of(type) != nullptr;
  if (output && full_ && waiting_bytes_ > kMostWaiting) return lose(type, payload.size());
  if (output) tell_gap(type);
  push(type, payload, output);
}

void EventWriter::push(FrameType type, std::string_view payload, bool output) {
  std::string bytes = contracts::frame_header(type, clock_.wall().ms, payload.size());
  bytes += payload;
  bytes += '\n';
  waiting_bytes_ += bytes.size();
  const size_t behind = type == FrameType::kResult ? 0 : contracts::kResultRoom;
  frames_.push_back({output, behind, payload.size(), type, std::move(bytes)});
}

EventWriter::Gap* EventWriter::gap_of(FrameType type) {
  if (type == FrameType::kStdout) return &out_;
  return type == FrameType::kStderr ? &err_ : nullptr;
}

void EventWriter::lose(FrameType type, size_t bytes) {
  Gap& gap = *gap_of(type);
  gap.lost += static_cast<int64_t>(bytes);
  gap.untold += static_cast<int64_t>(bytes);
}

// Where the output goes on, or ends.
void EventWriter::tell_gap(FrameType type) {
  const int64_t lost = std::exchange(gap_of(type)->untold, 0);
  if (lost == 0) return;
  const char* const why =
      met_file_limit() ? "the node may make no larger file" : "the disk of the node is full";
  push(type, cat("\n[LOST ", lost, " bytes: ", why, "]\n"), false);
}

// A short frame that must be written may take some of the result's room.
bool EventWriter::make_room(const Frame& frame) {
  if (!room_ || begun_ > 0) return true;
  return room_->make(frame.bytes.size(), frame.room_behind) ||
         (!frame.output && room_->make(frame.bytes.size(), 0));
}

Status EventWriter::write_some() {
  if (full_ && clock_.mono() < *full_) return {};
  full_.reset();
  for (bool goes_on = true; goes_on && !frames_.empty();) {
    pollfd ready{fd_.get(), POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) return {};
    if (make_room(frames_.front())) {
      ASSIGN_OR_RETURN(goes_on, write_front());
    } else {
      goes_on = rest_a_while();
    }
  }
  return {};
}

// Whether to go on.
Result<bool> EventWriter::write_front() {
  const std::string_view rest = std::string_view(frames_.front().bytes).substr(begun_);
  const ssize_t n = write(fd_.get(), rest.data(), std::min(rest.size(), chunk_));
  if (n < 0 && errno == EINTR) return true;
  if (n < 0 && errno == EAGAIN) return false;
  if (n < 0 && room_ && has_no_room(errno)) return rest_a_while();
  if (n < 0) return system_error("writing the events", errno);
  const auto wrote = static_cast<size_t>(n);
  if (room_) room_->written(wrote);
  begun_ += wrote;
  waiting_bytes_ -= wrote;
  if (wrote < rest.size()) return true;
  frames_.pop_front();
  begun_ = 0;
  return true;
}

bool EventWriter::rest_a_while() {
  full_ = clock_.mono() + kLookAgainAfter;
  return false;
}

Status EventWriter::write_rest() {
  while (!frames_.empty()) {
    pollfd ready{fd_.get(), POLLOUT, 0};
    poll(&ready, 1, -1);
    full_.reset();
    TRY(write_some());
    if (full_ && !lose_waiting_output()) return system_error("writing the events", ENOSPC);
  }
  return {};
}

// False if there is none. A frame that is begun is ended, or nothing behind it could be read.
bool EventWriter::lose_waiting_output() {
  const auto kept = begun_ > 0 ? frames_.begin() + 1 : frames_.begin();
  const auto lost =
      std::stable_partition(kept, frames_.end(), [](const Frame& each) { return !each.output; });
  if (lost == frames_.end()) return false;
  for (auto each = lost; each != frames_.end(); ++each) {
    lose(each->type, each->payload_bytes);
    waiting_bytes_ -= each->bytes.size();
  }
  frames_.erase(lost, frames_.end());
  tell_gap(FrameType::kStdout);
  tell_gap(FrameType::kStderr);
  return true;
}

bool EventWriter::has_room_for_result(size_t bytes) {
  constexpr size_t kHeader = 64;
  return !room_ || room_->make(bytes + kHeader, 0);
}

void EventWriter::close_room() {
  if (room_) room_->give_back();
}

}  // namespace paddock::sandbox
