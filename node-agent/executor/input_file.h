// The input of an agent run: a file that only grows, from which its launcher feeds the command. A
// line's number is its seq, so that writing one again after a crash changes nothing.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/agent_run.h"
#include "common/os/fd.h"

namespace paddock::executor {

class InputFile {
 public:
  // Made if it is not there; half a line at its end, of an agent that was killed, is cut off.
  static Result<InputFile> open(std::string path);

  int64_t lines() const { return lines_; }
  // Appends the inputs that follow those in the file; they are on the disk when this returns. True
  // if there were any.
  Result<bool> append(const std::vector<contracts::RunInput>& inputs);
  // Whether the command was found, last time, to take no more.
  bool closed() const { return closed_; }
  bool look_whether_closed();

 private:
  InputFile(std::string path, os::Fd file, int64_t lines, off_t whole)
      : path_(std::move(path)), file_(std::move(file)), lines_(lines), whole_(whole) {}

  std::string path_;
  os::Fd file_;
  int64_t lines_;
  off_t whole_;  // bytes of them
  bool closed_ = false;
};

}  // namespace paddock::executor
