// What kind of file a run names as its requirements, by the file's name. Pure.
#pragma once

#include <string>

#include "common/base/result.h"

namespace paddock::requirements {

enum class FileKind { kRequirements, kProject, kPackageJson };

struct NamedFile {
  FileKind kind = FileKind::kRequirements;
  std::string path;  // that is read; of a lock the file that it belongs to, beside it
};

// uv.lock and package-lock.json mean pyproject.toml and package.json beside them, which are read
// with their locks. REQUIREMENTS_INVALID for files of other tools, with what to do instead; any
// other name is a requirements file's.
Result<NamedFile> named_file(const std::string& path);

// REQUIREMENTS_INVALID: what a lock that was named belongs to is not beside it, and what to do.
Error lacks_its_file(const std::string& lock, const NamedFile& named);

}  // namespace paddock::requirements
