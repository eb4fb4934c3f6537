// What a requirements file may say. The file is hostile: pip options in it could name an index, a
// path of the host or another file, so only plain requirements pass. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::requirements {

struct Requirements {
  int count = 0;            // zero: nothing is named
  std::string text;         // as pip gets it: one requirement a line, plain UTF-8
  std::string constraints;  // likewise; empty: none
  std::string content;      // the bytes of the file; of those that it names, with their names
  std::vector<std::string> notes;  // what was left out of it, for people
  std::map<std::string, std::string>
      places;  // by plain_name(): "requirements.txt line 3", the first
};

// The name that a requirement begins with, as pip compares them: lower case, '-' for '_' and '.'.
std::string plain_name(std::string_view requirement);

// REQUIREMENTS_INVALID of at least one fault: several are a line each, below one that counts them.
Error refused_lines(std::vector<std::string> faults);

// A file of the workspace, by its path there.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;

// Takes what pip freeze, pip-compile and uv export write: `name[extras] specifiers ; marker
// --hash=…`, comments and continued lines; `-r FILE` and `-c FILE` of the workspace, relative to
// the file that names them, 32 files and 8 deep at most; --require-hashes, --prefer-binary, --pre.
// Lines that name an index are left out where it is `index` or PyPI, or where nobody knows yet
// which one is used (nothing). Everything else is refused, all of it at once, each with its file,
// its line and what to write instead: other options, URLs, `name @ reference`, paths, archives,
// ${VARIABLES}. InvalidArgument, reason REQUIREMENTS_INVALID; what `read` says of the file itself.
Result<Requirements> check_requirements(const std::string& path, const ReadFile& read,
                                        const std::optional<std::string>& index);

// The same for `project.dependencies` of a pyproject.toml (PEP 621); a uv.lock beside it, if there
// is one, gives the versions.
Result<Requirements> check_pyproject(const std::string& path, const ReadFile& read);

// By the file's name, see named_file.h: a pyproject.toml, or else a requirements file.
Result<Requirements> check_python(const std::string& path, const ReadFile& read,
                                  const std::optional<std::string>& index);

}  // namespace paddock::requirements
