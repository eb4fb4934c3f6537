// A program of the host, run without a shell: with a deadline, with variables that are named, and
// with as much of its output as is wanted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace paddock::cli {

struct BoundedProgram {
  std::vector<std::string> argv;           // argv[0] is its path
  std::map<std::string, std::string> env;  // all of it
  std::string input;                       // its standard input
  Millis deadline{30'000};
  size_t most_output = size_t{1} << 20;  // bytes of each stream; more is an error
};

struct ProgramEnd {
  int status = 0;  // its exit status; 128 + the signal that ended it
  std::string out;
  std::string err;
};

// PROGRAM_FAILED: it did not end in time, or said too much, and was killed with what it started;
// nobody knows how far it came.
Result<ProgramEnd> run_bounded(const BoundedProgram& program, const Clock& clock);

}  // namespace paddock::cli
