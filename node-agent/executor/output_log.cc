#include "node-agent/executor/output_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/text.h"
#include "common/contracts/launch.h"
#include "common/os/disk_space.h"
#include "common/wire/json.h"

namespace paddock::executor {
namespace {

using contracts::Frame;
using contracts::FrameType;
using contracts::OutputChunk;

constexpr size_t kChunkBytes = 128 << 10;
constexpr size_t kReadBytes = 32 << 10;  // most runs say less
constexpr int64_t kCheckpointEvery = 256;

bool is_output(const Frame& frame) {
  return (frame.type == FrameType::kStdout || frame.type == FrameType::kStderr) &&
         !frame.payload.empty();
}

int64_t chunks_in(const Frame& frame) {
  return is_output(frame)
             ? static_cast<int64_t>((frame.payload.size() + kChunkBytes - 1) / kChunkBytes)
             : 0;
}

// Reads whole frames of a file from an offset on.
class FrameReader {
 public:
  FrameReader(int fd, int64_t offset) : fd_(fd), offset_(offset) {}
  // False when no whole frame is left now. The payload is valid until the next call.
  Result<bool> next(Frame& frame) {
    while (true) {
      std::string_view left = std::string_view(buffer_).substr(used_);
      const size_t before = left.size();
      ASSIGN_OR_RETURN(const bool whole, contracts::take_frame(left, frame));
      if (whole) {
        used_ += before - left.size();
        offset_ += static_cast<int64_t>(before - left.size());
        return true;
      }
      ASSIGN_OR_RETURN(const bool more, fill());
      if (!more) return false;
    }
  }
  int64_t offset() const { return offset_; }  // of the next frame

 private:
  Result<bool> fill() {
    buffer_.erase(0, used_);
    used_ = 0;
    const size_t have = buffer_.size();
    buffer_.resize(have + kReadBytes);
    const ssize_t got = ::pread(fd_, buffer_.data() + have, kReadBytes,
                                static_cast<off_t>(offset_ + static_cast<int64_t>(have)));
    buffer_.resize(have + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) return system_error("reading a run's output", errno);
    return got > 0;
  }
  int fd_;
  int64_t offset_;
  std::string buffer_;
  size_t used_ = 0;
};

}  // namespace

// The agent's own files are made with their first line: most runs need one of them.
Result<std::unique_ptr<OutputLog>> OutputLog::open(const RunFolder& folder, const Clock& clock) {
  std::unique_ptr<OutputLog> log(new OutputLog(folder, clock));
  for (const Segment each : {kBefore, kEvents, kAfter}) {
    TRY(log->open_file(each, each == kEvents));
    if (!log->files_[each].valid()) continue;
    TRY(log->count(each));
    // A line torn by a crash is dropped; the launcher's file is the launcher's alone.
    if (each != kEvents && ::ftruncate(log->files_[each].get(), log->counted_[each]) != 0)
      return system_error("repairing a run's output", errno);
  }
  return log;
}

Status OutputLog::open_file(Segment segment, bool make) {
  constexpr const char* kNames[kSegments] = {"said-before", "events", "said-after"};
  const std::string path = folder_.file(kNames[segment]);
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (make ? O_CREAT : 0);
  files_[segment].reset(::open(path.c_str(), flags, 0600));
  if (files_[segment].valid() || (!make && errno == ENOENT)) return {};
  return system_error("opening a run's output", errno);
}

Status OutputLog::keep_room_for_result() {
  std::lock_guard lock(mutex_);
  return os::keep_room(files_[kEvents].get(), counted_[kEvents], contracts::kResultRoom);
}

Status OutputLog::say(std::string_view line) { return add(FrameType::kStdout, line); }

Status OutputLog::quote(std::string_view text) { return add(FrameType::kStderr, text); }

// Beside the launcher's frames, standard output is what the agent says.
Status OutputLog::add(FrameType type, std::string_view line) {
  std::lock_guard lock(mutex_);
  const Segment segment = counted_[kEvents] > 0 ? kAfter : kBefore;
  if (!files_[segment].valid()) TRY(open_file(segment, true));
  const std::string text = cat(line, "\n");
  const std::string bytes =
      cat(contracts::frame_header(type, clock_.wall().ms, text.size()), text, "\n");
  const ssize_t wrote =
      ::pwrite(files_[segment].get(), bytes.data(), bytes.size(), counted_[segment]);
  if (wrote != static_cast<ssize_t>(bytes.size()))
    return system_error("writing a run's output", errno);
  return count(segment);
}

Status OutputLog::advance() {
  std::lock_guard lock(mutex_);
  return count(kEvents);
}

OutputState OutputLog::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

Status OutputLog::count(Segment segment) {
  FrameReader reader(files_[segment].get(), counted_[segment]);
  Frame frame;
  while (true) {
    ASSIGN_OR_RETURN(const bool whole, reader.next(frame));
    if (!whole) return {};
    const bool first = counted_[segment] == 0;
    if (first || checkpoints_.empty() ||
        state_.last_seq - checkpoints_.back().seq >= kCheckpointEvery) {
      checkpoints_.push_back({segment, counted_[segment], state_.last_seq});
    }
    counted_[segment] = reader.offset();
    if (segment == kEvents) take(frame);
    state_.last_seq += chunks_in(frame);
  }
}

void OutputLog::take(const Frame& frame) {
  if (frame.type == FrameType::kStarted) state_.started_ms = frame.time_ms;
  if (frame.type != FrameType::kResult || state_.result) return;
  const auto document = wire::parse_json(frame.payload, {.max_bytes = frame.payload.size() + 1});
  if (!document) return;
  auto result = wire::decode<contracts::SandboxResult>(*document);
  if (result) state_.result = std::move(*result);
}

OutputLog::Position OutputLog::start_for(int64_t after) const {
  Position best;
  if (!checkpoints_.empty()) best = checkpoints_.front();
  const auto behind =
      std::upper_bound(checkpoints_.begin(), checkpoints_.end(), after,
                       [](int64_t seq, const Position& at) { return seq < at.seq; });
  if (behind != checkpoints_.begin()) best = *std::prev(behind);
  if (last_read_.seq <= after && last_read_.seq > best.seq) best = last_read_;
  return best;
}

std::vector<OutputChunk> OutputLog::read(int64_t after, size_t max_bytes) const {
  std::lock_guard lock(mutex_);
  std::vector<OutputChunk> out;
  Position at = start_for(after);
  size_t used = 0;
  for (int segment = at.segment; segment < kSegments; ++segment) {
    if (!files_[segment].valid()) continue;
    FrameReader reader(files_[segment].get(), segment == at.segment ? at.offset : 0);
    int64_t seq = at.seq;
    Frame frame;
    while (seq < state_.last_seq) {
      const Position here{segment, reader.offset(), seq};
      const auto whole = reader.next(frame);
      if (!whole || !*whole) break;
      last_read_ = here;
      std::string_view rest = is_output(frame) ? frame.payload : std::string_view();
      while (!rest.empty()) {
        const std::string_view piece = rest.substr(0, kChunkBytes);
        rest.remove_prefix(piece.size());
        if (++seq <= after) continue;
        if (!out.empty() && used + piece.size() > max_bytes) return out;
        const std::string_view stream = segment == kEvents || frame.type == FrameType::kStderr
                                            ? wire::enum_name(frame.type)
                                            : std::string_view("system");
        out.push_back({seq, frame.time_ms, std::string(stream), base64(piece)});
        used += piece.size();
      }
    }
    at = Position{segment + 1, 0, seq};
  }
  return out;
}

}  // namespace paddock::executor
