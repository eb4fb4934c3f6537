// `paddock explain`: a field and what is below it, in the words of the server's own description
// (OpenAPI v3), so that nothing here has to know the fields. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::cli {

struct Question {
  std::string kind;               // `Run`
  std::vector<std::string> path;  // `spec`, `resources`
  bool recursive = false;         // names of all fields below, without their descriptions
};
// UNKNOWN_FIELD names the nearest one that there is.
Result<std::string> explain_text(const wire::Value& openapi, const Question& question);

}  // namespace paddock::cli
