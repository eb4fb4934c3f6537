// The lines of a file of any size, one after another.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/os/fd.h"

namespace paddock::cli {

class LineReader {
 public:
  // What is opened may be a pipe as well. `most`: bytes of one line.
  static Result<LineReader> open(const std::string& path, size_t most);

  // Without its newline; the last line may have none. Nothing at the end. FILE_TOO_LARGE.
  Result<std::optional<std::string>> next();

 private:
  LineReader(os::Fd file, size_t most) : file_(std::move(file)), most_(most) {}
  Result<bool> read_more();

  os::Fd file_;
  size_t most_;
  std::string read_;  // and not yet given out, from begin_ on
  size_t begin_ = 0;
};

}  // namespace paddock::cli
