// The lines for a command's standard input, on their way from whoever is given them to the file
// that the launcher reads along.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/contracts/run.h"
#include "node-agent/executor/input_file.h"

namespace paddock::executor {

class InputFeed {
 public:
  explicit InputFeed(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  Status open();
  // Gives the feed all inputs that the command is to have. Any thread.
  void give(const std::vector<contracts::RunInput>& inputs);
  // Into the file, which is opened if it was found on disk. True if there is something to tell.
  bool take();
  const InputFile* file() const { return file_ ? &*file_ : nullptr; }  // none: not open

 private:
  const std::string path_;
  std::optional<InputFile> file_;
  Guarded<std::vector<contracts::RunInput>> given_;  // and not in that file yet
};

}  // namespace paddock::executor
