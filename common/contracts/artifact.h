// What a run brings back: which folders were asked for, which files came, which did not and why.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "common/contracts/tree.h"
#include "common/wire/describe.h"

namespace paddock::contracts {

struct ArtifactRequest {
  std::vector<std::string> dirs;
  static constexpr auto describe() {
    return std::tuple{field("dirs", &ArtifactRequest::dirs,
                            "folders of the workspace whose files come back", {.max_length = 32})};
  }
};

struct Artifact {
  std::string path;
  int64_t size = 0;
  Digest digest;
  static constexpr auto describe() {
    return std::tuple{
        field("path", &Artifact::path, "relative to the workspace", {.required = true}),
        field("size", &Artifact::size, "bytes", {.min = 0}),
        field("digest", &Artifact::digest, "SHA-256", {.required = true})};
  }
};

// A file that did not come back, and the rule that left it out.
struct LeftOut {
  std::string path;
  std::string rule;
  static constexpr auto describe() {
    return std::tuple{field("path", &LeftOut::path, "relative to the workspace"),
                      field("rule", &LeftOut::rule, "why")};
  }
};

}  // namespace paddock::contracts
