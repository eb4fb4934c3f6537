// The time before each line of an output that comes in pieces. Pure.
#pragma once

#include <string>

#include "common/contracts/events.h"

namespace paddock::cli {

class LineStamps {
 public:
  // The data of the next piece, with the time of the piece in which each of its lines begins.
  std::string stamped(const contracts::RunEvent& event);

 private:
  bool open_ = false;  // the last line has no end yet
};

}  // namespace paddock::cli
