// Files in one body, as a browser's form sends them (multipart/form-data, RFC 7578), which is how
// E2B's tools upload. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock::e2b {

struct UploadedFile {
  std::string name;          // of the file; a path where there are many. May be empty
  std::string_view content;  // of the body, which must outlive this
};

// The most files in one body.
inline constexpr size_t kMostFiles = 1'000;

// The files of a body with this Content-Type: parts with the name `file`, and nothing else.
// InvalidArgument (MULTIPART_INVALID).
Result<std::vector<UploadedFile>> uploaded_files(std::string_view content_type,
                                                 std::string_view body);

}  // namespace paddock::e2b
