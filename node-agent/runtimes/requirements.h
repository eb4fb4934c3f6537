// What a requirements file may say. The file is hostile: pip options in it could name an index, a
// path of the host or another file, so only plain requirements pass. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::runtimes {

struct Requirements {
  int count = 0;     // zero: the file names nothing
  std::string text;  // the file as pip gets it: one requirement a line, no comments, plain UTF-8
};

// Accepts `name[extras] specifiers ; marker --hash=…`, comments and continued lines. Everything
// else is refused with its line number: options (-e, -r, -c, -i, --index-url, --find-links, …),
// URLs, `name @ reference`, paths, archives, ${VARIABLES}. InvalidArgument, reason
// REQUIREMENTS_INVALID.
Result<Requirements> check_requirements(std::string_view file);

}  // namespace paddock::runtimes
