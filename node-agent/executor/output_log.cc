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
constexpr size_t kNewestBytes = 256 << 10;  // kept of each run at most, with what they cost

std::string_view output_of(const Frame& frame) {
  const bool is_output = frame.type == FrameType::kStdout || frame.type == FrameType::kStderr;
  return is_output ? frame.payload : std::string_view();
}

// Takes the next chunk's bytes off the front.
std::string_view take_piece(std::string_view& output) {
  const std::string_view piece = output.substr(0, kChunkBytes);
  output.remove_prefix(piece.size());
  return piece;
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

// The chunks behind `after`, as many as `max_bytes` are, but at least one.
class OutputLog::Answer {
 public:
  Answer(int64_t after, size_t max_bytes) : after_(after), max_bytes_(max_bytes) {}
  // False: it is full.
  bool add(int64_t seq, int64_t time_ms, std::string_view stream, std::string_view bytes) {
    if (seq <= after_) return true;
    if (!chunks_.empty() && used_ + bytes.size() > max_bytes_) return false;
    chunks_.push_back({seq, time_ms, std::string(stream), base64(bytes)});
    used_ += bytes.size();
    return true;
  }
  std::vector<OutputChunk> take() { return std::move(chunks_); }

 private:
  const int64_t after_;
  const size_t max_bytes_;
  size_t used_ = 0;
  std::vector<OutputChunk> chunks_;
};

// The agent's own files are made with their first line: most runs need one of them.
Result<std::unique_ptr<OutputLog>> OutputLog::open(const RunFolder& folder, const Clock& clock,
                                                   bool make) {
  std::unique_ptr<OutputLog> log(new OutputLog(folder, clock));
  for (const Segment each : {kBefore, kEvents, kAfter}) {
    TRY(log->open_file(each, make && each == kEvents));
    TRY(log->count(each));
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

Status OutputLog::add(FrameType type, std::string_view line) {
  std::lock_guard lock(mutex_);
  const Segment segment = counted_[kEvents] > 0 ? kAfter : kBefore;
  if (!files_[segment].valid()) TRY(open_file(segment, true));
  TRY(drop_torn_line(segment));
  const std::string text = cat(line, "\n");
  const std::string bytes =
      cat(contracts::frame_header(type, clock_.wall().ms, text.size()), text, "\n");
  const ssize_t wrote =
      ::pwrite(files_[segment].get(), bytes.data(), bytes.size(), counted_[segment]);
  if (wrote != static_cast<ssize_t>(bytes.size()))
    return system_error("writing a run's output", errno);
  return count(segment);
}

// Drops a line that a crash or a full disk cut short. Only the launcher writes the launcher's file.
Status OutputLog::drop_torn_line(Segment segment) {
  struct stat info {};
  const int file = files_[segment].get();
  if (::fstat(file, &info) == 0 && info.st_size <= counted_[segment]) return {};
  if (::ftruncate(file, counted_[segment]) == 0) return {};
  return system_error("repairing a run's output", errno);
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
  if (!files_[segment].valid()) return {};
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
    number(segment, frame);
  }
}

// Beside the launcher's frames, standard output is what the agent says.
std::string_view OutputLog::stream_of(int segment, const Frame& frame) {
  return segment == kEvents || frame.type == FrameType::kStderr ? wire::enum_name(frame.type)
                                                                : std::string_view("system");
}

void OutputLog::number(Segment segment, const Frame& frame) {
  for (std::string_view rest = output_of(frame); !rest.empty();) {
    const std::string_view bytes = take_piece(rest);
    newest_.push_back(
        {++state_.last_seq, frame.time_ms, stream_of(segment, frame), std::string(bytes)});
    newest_bytes_ += newest_.back().cost();
    while (newest_bytes_ > kNewestBytes) drop_oldest();
  }
}

void OutputLog::drop_oldest() const {
  newest_bytes_ -= newest_.front().cost();
  newest_.pop_front();
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
  Answer out(after, max_bytes);
  if (!read_newest(after, out)) read_files(after, out);
  return out.take();
}

// Lines that are not asked for any more have reached the store. If the store is set back to an
// older state, the files still have them.
bool OutputLog::read_newest(int64_t after, Answer& out) const {
  while (!newest_.empty() && newest_.front().seq <= after) drop_oldest();
  const int64_t first = newest_.empty() ? state_.last_seq + 1 : newest_.front().seq;
  if (first > after + 1) return false;
  for (const Piece& each : newest_)
    if (!out.add(each.seq, each.time_ms, each.stream, each.bytes)) break;
  return true;
}

void OutputLog::read_files(int64_t after, Answer& out) const {
  Position at = start_for(after);
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
      for (std::string_view rest = output_of(frame); !rest.empty();) {
        const std::string_view bytes = take_piece(rest);
        if (!out.add(++seq, frame.time_ms, stream_of(segment, frame), bytes)) return;
      }
    }
    at = Position{segment + 1, 0, seq};
  }
}

}  // namespace paddock::executor
