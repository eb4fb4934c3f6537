// The node's own lines in a run's log. Each is stored, then announced.
#pragma once

#include <functional>
#include <string>

#include "node-agent/executor/output_log.h"

namespace paddock::executor {

class RunLog {
 public:
  // `output` outlives it.
  RunLog(OutputLog& output, std::function<void()> announce)
      : output_(output), announce_(std::move(announce)) {}

  void say(const std::string& line);
  // Adds what a program printed that worked for the run: it becomes output of the run, on standard
  // error.
  void quote(const std::string& text);

 private:
  OutputLog& output_;
  const std::function<void()> announce_;
};

}  // namespace paddock::executor
