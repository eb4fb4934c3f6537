// Which fields of a run its type allows: those that a code run has in place of a command and a
// workspace, and that no other run may have. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/reason.h"
#include "common/contracts/run.h"

namespace paddock::admission {

struct FieldRefusal {
  Reason reason;  // CODE_REQUIRED, INPUT_DATA_TOO_LARGE, FIELD_NOT_SUPPORTED, ENV_NOT_ALLOWED
  std::string field;
  std::string message;
};

// Never with a word of the code or of its data.
std::vector<FieldRefusal> check_type_fields(const contracts::RunSpec& spec);

}  // namespace paddock::admission
