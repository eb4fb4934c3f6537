// A run's output as numbered chunks, read from the files it is in. The numbers follow from the
// files alone, so they are the same after an agent restart:
//   what the agent said before the launch, then the launcher's frames, then what it said after.
// Once the launch began nothing is added before it; what is said after comes behind the result.
// The newest chunks are kept as they were when they were numbered, so that whoever reads along
// reads no file a second time. Thread-safe.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"
#include "common/contracts/sync.h"
#include "common/os/fd.h"
#include "node-agent/executor/run_folder.h"

namespace paddock::executor {

struct OutputState {
  int64_t last_seq = 0;
  std::optional<int64_t> started_ms;  // wall time of the `started` frame
  std::optional<contracts::SandboxResult> result;
};

class OutputLog {
 public:
  // `make`: the launcher's file where it is not there, which is all that this takes of the disk.
  static Result<std::unique_ptr<OutputLog>> open(const RunFolder& folder, const Clock& clock,
                                                 bool make = true);

  // Reserves room on the disk, so that the launcher can write how the run ended whatever becomes of
  // the disk.
  Status keep_room_for_result();
  // Adds a line of the agent's own; a newline is added to it.
  Status say(std::string_view line);
  // Adds what a program printed that worked for the run: it becomes output of the run, on standard
  // error.
  Status quote(std::string_view text);
  // Takes in what the launcher has written since. SPOOL_CORRUPT if that is not frames.
  Status advance();
  OutputState state() const;
  // Chunks from `after` + 1 on, about `max_bytes` of raw data but at least one if there is any.
  std::vector<contracts::OutputChunk> read(int64_t after, size_t max_bytes) const;

 private:
  enum Segment { kBefore, kEvents, kAfter, kSegments };
  // The start of a frame, and the number of the chunk before it.
  struct Position {
    int segment = kBefore;
    int64_t offset = 0;
    int64_t seq = 0;
  };
  // A chunk before its bytes are text.
  struct Piece {
    int64_t seq = 0;
    int64_t time_ms = 0;
    std::string_view stream;
    std::string bytes;
    size_t cost() const { return sizeof(Piece) + bytes.size(); }
  };
  class Answer;
  OutputLog(RunFolder folder, const Clock& clock) : folder_(std::move(folder)), clock_(clock) {}
  Status add(contracts::FrameType type, std::string_view line);
  Status open_file(Segment segment, bool make);
  Status drop_torn_line(Segment segment);
  Status count(Segment segment);
  void take(const contracts::Frame& frame);
  static std::string_view stream_of(int segment, const contracts::Frame& frame);
  void number(Segment segment, const contracts::Frame& frame);
  void drop_oldest() const;
  bool read_newest(int64_t after, Answer& out) const;
  void read_files(int64_t after, Answer& out) const;
  Position start_for(int64_t after) const;

  const RunFolder folder_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  os::Fd files_[kSegments];          // none: nothing was said there
  int64_t counted_[kSegments] = {};  // bytes of whole frames that are numbered
  OutputState state_;
  std::vector<Position> checkpoints_;
  mutable Position last_read_;
  mutable std::deque<Piece> newest_;  // without a gap, up to state_.last_seq
  mutable size_t newest_bytes_ = 0;
};

}  // namespace paddock::executor
