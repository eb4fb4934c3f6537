// Labels of objects as columns of a table. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/wire/value.h"

namespace paddock::cli {

// `a.example/team` as `TEAM`, and its cells: empty where an object has no such label.
std::string label_header(std::string_view label);
std::string label_cell(const wire::Value& object, std::string_view label);

}  // namespace paddock::cli
