// POST /build: the request of the design's own clients, and the Run that it asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::api {

struct BuildRequest {
  contracts::RunType build_type = contracts::RunType::kCompute;
  std::string compute_command;
  std::string requirements;
  std::string workspace;
  std::string container;
  std::vector<std::string> artifact_dirs;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("build_type", &BuildRequest::build_type, "gradle, script or compute",
                       {.required = true}),
                 field("compute_command", &BuildRequest::compute_command,
                       "one string, split without a shell", {.omit_empty = true}),
                 field("requirements", &BuildRequest::requirements,
                       "requirements.txt or package.json in the workspace",
                       {.omit_empty = true, .max_length = 1024}),
                 field("workspace", &BuildRequest::workspace, "name of the Workspace",
                       {.omit_empty = true, .max_length = 253}),
                 field("container", &BuildRequest::container, "who asks; kept with the run",
                       {.omit_empty = true, .max_length = 253}),
                 field("artifact_dirs", &BuildRequest::artifact_dirs,
                       "folders whose files come back", {.omit_empty = true, .max_length = 32}));
  }
  void validate(wire::Check& check) const;
};

inline constexpr const char* kContainerAnnotation = "paddock.dev/container";

// The Run as a document, so that it goes the way of every other. Pure.
wire::Value run_document(const BuildRequest& request);
// A field of that document as the field of the request which it came from: spec.command[1] is
// compute_command. Others stay as they are.
std::string build_field(const std::string& run_field);

}  // namespace paddock::api

PADDOCK_EXTERN_CODEC(paddock::api::BuildRequest);
