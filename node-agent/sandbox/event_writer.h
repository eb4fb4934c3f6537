// Writes frames to the events file or pipe without ever blocking on a slow reader: what the reader
// has not taken waits here, and while much waits the command's output is not read.
// Not thread-safe; owns the descriptor.
#pragma once

#include <string>
#include <string_view>

#include "common/base/time.h"
#include "common/contracts/launch.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

class EventWriter {
 public:
  EventWriter(os::Fd fd, const Clock& clock);
  void add(contracts::FrameType type, std::string_view payload);
  // Writes what the reader takes now. An error when nobody can ever read it.
  Status write_some();
  // Writes everything, waiting for the reader.
  Status write_rest();
  bool waiting() const { return !pending_.empty(); }
  bool congested() const { return pending_.size() > (size_t{256} << 10); }
  int fd() const { return fd_.get(); }

 private:
  os::Fd fd_;
  const Clock& clock_;
  size_t chunk_;
  std::string pending_;
};

}  // namespace paddock::sandbox
