// Why the node could not do what a policy allows: a word for programs, and the end of a sentence
// for people.
#pragma once

#include <string>

#include "common/base/reason.h"

namespace paddock::sandbox {

struct Problem {
  Reason reason;
  std::string text;
};

}  // namespace paddock::sandbox
