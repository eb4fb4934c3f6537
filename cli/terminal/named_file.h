// Files that a caller named: what is wrong with one is said of it as it was typed.
#pragma once

#include <string>

#include "common/base/error.h"

namespace paddock::cli {

// `error` of a file, which says the last part of its name alone, in front of it the whole one.
Error of_named_file(Error error, const std::string& typed);

}  // namespace paddock::cli
