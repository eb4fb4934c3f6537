// Workspace: the files that runs read.
#pragma once

#include <cstdint>
#include <string>

#include "common/contracts/meta.h"

namespace paddock::contracts {

struct WorkspaceSpec {
  std::string source;  // a label for people, e.g. the folder's base name
  static constexpr auto describe(auto&& visit) {
    return visit(field("source", &WorkspaceSpec::source, "where it came from, for people",
                       {.omit_empty = true, .max_length = 253}));
  }
};

struct WorkspaceStatus {
  std::string root;
  int64_t files = 0;
  int64_t bytes = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("root", &WorkspaceStatus::root, "digest of the stored tree", {.omit_empty = true}),
        field("files", &WorkspaceStatus::files, "how many files it has"),
        field("bytes", &WorkspaceStatus::bytes, "the size of all its files together"));
  }
};

struct Workspace {
  static constexpr const char* kKind = "Workspace";
  std::string api_version = kApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  WorkspaceSpec spec;
  WorkspaceStatus status;
  static constexpr auto describe(auto&& visit) {
    return visit(field("apiVersion", &Workspace::api_version, "paddock.dev/v1alpha1"),
                 field("kind", &Workspace::kind, "Workspace"),
                 field("metadata", &Workspace::metadata, "identity", {.required = true}),
                 field("spec", &Workspace::spec, "what is wanted"),
                 field("status", &Workspace::status, "what is stored"));
  }
};

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::Workspace);
