// Volume: files that runs publish and later runs of the namespace read. Each publish makes a new
// version; a version never changes. The operator says how many versions stay (the newest).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/meta.h"
#include "common/contracts/tree.h"

namespace paddock::contracts {

// A run sees a volume, read-only, at this folder and its name.
inline constexpr std::string_view kSandboxVolumes = "/volumes";

struct VolumeVersion {
  int64_t version = 0;  // from 1, one more each time, also after older ones are gone
  Digest root;
  int64_t files = 0;
  int64_t bytes = 0;
  std::string run;
  std::string run_uid;
  std::optional<wire::Timestamp> published_at;
  static constexpr auto describe(auto&& visit) {
    return visit(field("version", &VolumeVersion::version,
                       "the number of the version, which grows by one", {.min = 1}),
                 field("root", &VolumeVersion::root, "digest of the tree"),
                 field("files", &VolumeVersion::files, "how many files it has"),
                 field("bytes", &VolumeVersion::bytes, "the size of all its files together"),
                 field("run", &VolumeVersion::run, "the run that published it"),
                 field("runUid", &VolumeVersion::run_uid, "the uid of that run"),
                 field("publishedAt", &VolumeVersion::published_at, "when that run ended"));
  }
};

struct VolumeStatus {
  std::vector<VolumeVersion> versions;  // oldest first
  static constexpr auto describe(auto&& visit) {
    return visit(field("versions", &VolumeStatus::versions, "those that are kept, oldest first"));
  }
};

struct Volume {
  static constexpr const char* kKind = "Volume";
  std::string api_version = kApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  VolumeStatus status;
  static constexpr auto describe(auto&& visit) {
    return visit(field("apiVersion", &Volume::api_version, "paddock.dev/v1alpha1"),
                 field("kind", &Volume::kind, "Volume"),
                 field("metadata", &Volume::metadata, "identity", {.required = true}),
                 field("status", &Volume::status, "what was published"));
  }
};

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::Volume);
