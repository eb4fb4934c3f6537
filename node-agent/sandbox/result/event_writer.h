// Writes frames to the events file or pipe and never blocks on a slow reader. Frames that the
// reader has not taken wait in memory; while there are many, the launcher reads no output of the
// command. A full disk blocks nobody either: some output waits for room, the rest is lost, and a
// line in its place says how much. A file that must not get larger (RLIMIT_FSIZE) is the same.
// There is always room for the result. Not thread-safe; owns the descriptor.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"
#include "common/contracts/launch.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/result/spool_room.h"

namespace paddock::sandbox {

class EventWriter {
 public:
  EventWriter(os::Fd fd, const Clock& clock);
  void add(contracts::FrameType type, std::string_view payload);
  // Writes as much as the reader and the disk take now. An error means that nobody can ever read
  // it.
  Status write_some();
  // Writes everything, waiting for the reader. Output that the disk has no room for is lost now.
  Status write_rest();
  // Whether a result of so many bytes can be written.
  bool has_room_for_result(size_t bytes);
  // Gives back the room that was kept for the result. Call it after the last frame.
  void close_room();

  bool waiting() const { return !frames_.empty() && !full_; }  // for the reader
  bool congested() const { return waiting_bytes_ > kMostWaiting && !full_; }
  // When write_some() looks for room on the disk again; nothing: it needs none.
  std::optional<MonoTime> retry_at() const { return full_; }
  int fd() const { return fd_.get(); }
  // A file may be read later. With a pipe or a socket, one can see that the reader is gone.
  bool is_file() const { return room_.has_value(); }
  // Whether that is no full disk but the size that its host lets this process give a file.
  bool met_file_limit() const { return room_ && room_->met_limit(); }
  // Bytes of output that there was no room for.
  int64_t lost_out() const { return out_.lost; }
  int64_t lost_err() const { return err_.lost; }

 private:
  static constexpr size_t kMostWaiting = size_t{256} << 10;
  struct Frame {
    bool output;  // may be lost
    size_t room_behind;
    size_t payload_bytes;
    contracts::FrameType type;
    std::string bytes;
  };
  struct Gap {
    int64_t lost = 0;
    int64_t untold = 0;
  };
  Gap* gap_of(contracts::FrameType type);
  void lose(contracts::FrameType type, size_t bytes);
  void tell_gap(contracts::FrameType type);
  void push(contracts::FrameType type, std::string_view payload, bool output);
  bool make_room(const Frame& frame);
  Result<bool> write_front();
  bool rest_a_while();
  bool lose_waiting_output();

  os::Fd fd_;
  const Clock& clock_;
  size_t chunk_;
  std::optional<SpoolRoom> room_;  // of a file
  std::deque<Frame> frames_;
  size_t begun_ = 0;  // bytes of the first frame that are written
  size_t waiting_bytes_ = 0;
  std::optional<MonoTime> full_;  // the disk; until it is looked at again
  Gap out_;
  Gap err_;
};

}  // namespace paddock::sandbox
