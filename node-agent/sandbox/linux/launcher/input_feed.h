// Feeds a command's standard input from a file that grows. New lines go to the command whole, once,
// and as fast as it reads them. If the command closes its input and goes on, the feed creates
// `<file>.closed`. No call blocks. For one thread.
#pragma once

#include <poll.h>

#include <array>
#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/os/fd.h"

namespace paddock::sandbox {

class InputFeed {
 public:
  // Opens the file and reads what is in it so far.
  static Result<InputFeed> open(const std::string& path, MonoTime now);

  // Hands over the pipe end that the command reads from. Call it once.
  os::Fd take_command_end() { return std::move(command_end_); }
  // The descriptors to poll; -1 where there is nothing to wait for.
  std::array<pollfd, 2> waits_for() const;
  // Call it after each poll, as long as the command may be alive.
  void handle(const std::array<pollfd, 2>& seen, MonoTime now);
  // When handle() is due even if nothing happened to the descriptors.
  std::optional<MonoTime> look_at() const { return look_at_; }

 private:
  explicit InputFeed(std::string path) : path_(std::move(path)) {}
  bool changed();
  void forward(MonoTime now);
  bool read_more();
  bool write_lines();
  void close(MonoTime now);
  void mark_closed();

  std::string path_;
  os::Fd file_;
  os::Fd watch_;  // tells of changes of the file; invalid: it is read again every second
  os::Fd pipe_;
  os::Fd command_end_;
  std::string held_;    // bytes of the file that are not all passed on yet
  size_t lines_ = 0;    // how many of these bytes are whole lines
  size_t written_ = 0;  // how many of these bytes the command has
  bool more_ = false;   // the file was not read to its end
  std::optional<MonoTime> look_at_;
};

}  // namespace paddock::sandbox
