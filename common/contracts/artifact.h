// What a run brings back: which folders were asked for, which files came, which did not and why.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/tree.h"
#include "common/wire/describe.h"

namespace paddock::contracts {

// What runs of type `compute` bring back, by the last extension in any case; other types bring back
// every file. An operator adds to it (the controller's artifacts.computeTypes).
inline constexpr std::array<std::string_view, 10> kComputeArtifactTypes = {
    ".usearch", ".json", ".csv", ".bin", ".onnx", ".npy", ".npz", ".safetensors", ".txt", ".log"};
inline std::vector<std::string> compute_artifact_types(const std::vector<std::string>& more = {}) {
  std::vector<std::string> all(kComputeArtifactTypes.begin(), kComputeArtifactTypes.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

struct ArtifactRequest {
  std::vector<std::string> dirs;
  static constexpr auto describe(auto&& visit) {
    return visit(field("dirs", &ArtifactRequest::dirs,
                       "folders of the workspace whose files come back", {.max_length = 32}));
  }
};

struct Artifact {
  std::string path;
  int64_t size = 0;
  Digest digest;
  bool executable = false;
  static constexpr auto describe(auto&& visit) {
    return visit(field("path", &Artifact::path, "relative to the workspace", {.required = true}),
                 field("size", &Artifact::size, "bytes", {.min = 0}),
                 field("digest", &Artifact::digest, "SHA-256", {.required = true}),
                 field("executable", &Artifact::executable, "whether its owner may execute it"));
  }
};

// A file that did not come back, and the rule that left it out.
struct LeftOut {
  std::string path;
  std::string rule;
  std::string reason;  // for programs, as `rule` is for people
  static constexpr auto describe(auto&& visit) {
    return visit(field("path", &LeftOut::path, "relative to the workspace"),
                 field("rule", &LeftOut::rule, "why, as a sentence"),
                 field("reason", &LeftOut::reason, "why, as a stable word", {.omit_empty = true}));
  }
};

}  // namespace paddock::contracts
