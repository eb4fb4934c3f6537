// A command's standard input from a file that grows: what is new goes to the command in whole
// lines, each byte once, as fast as it reads. When it reads no more, though it goes on, the feed
// makes `<file>.closed`. Never blocks. One thread.
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
  // Reads what is there.
  static Result<InputFeed> open(const std::string& path, MonoTime now);

  // The end that the command reads. Once.
  os::Fd take_command_end() { return std::move(command_end_); }
  // To poll; -1 where there is nothing to wait for.
  std::array<pollfd, 2> waits_for() const;
  // After the poll for these, while the command may be there.
  void handle(const std::array<pollfd, 2>& seen, MonoTime now);
  // When to do so even if nothing happened.
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
  os::Fd watch_;  // none: looked at every second
  os::Fd pipe_;
  os::Fd command_end_;
  std::string held_;    // read, and not all of it written
  size_t lines_ = 0;    // bytes of it that are whole lines
  size_t written_ = 0;  // bytes of these that the command has
  bool more_ = false;   // the file was not read to its end
  std::optional<MonoTime> look_at_;
};

}  // namespace paddock::sandbox
