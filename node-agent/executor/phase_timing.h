// Measures how long a phase of a run takes, and words what came of it, for the steps of RunLife.
// For this module only.
#pragma once

#include "common/base/text.h"
#include "common/base/time.h"

namespace paddock::executor {

// The time from its making to its end, as a phase's milliseconds.
class PhaseTiming {
 public:
  PhaseTiming(const Clock& clock, int64_t& out) : clock_(clock), out_(out), start_(clock.mono()) {}
  ~PhaseTiming() { out_ = (clock_.mono() - start_).count(); }
  PhaseTiming(const PhaseTiming&) = delete;
  PhaseTiming& operator=(const PhaseTiming&) = delete;

 private:
  const Clock& clock_;
  int64_t& out_;
  MonoTime start_;
};

inline std::string files_and_bytes(int64_t files, int64_t bytes) {
  return cat(files, files == 1 ? " file, " : " files, ", format_bytes(bytes));
}

}  // namespace paddock::executor
