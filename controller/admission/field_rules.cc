#include "controller/admission/field_rules.h"

#include <set>

#include "common/contracts/names.h"

namespace paddock::admission {
namespace {

using contracts::RunSpec;
using contracts::RunType;

bool may_have_requirements(RunType type) {
  return type == RunType::kCommand || type == RunType::kCompute || type == RunType::kTest;
}

bool is_artifact_dir(std::string_view dir) {
  return dir == "." || dir == "./" || is_inner_path(dir);
}

// Code has its data, an agent its answers.
bool may_have_stdin(RunType type) { return type != RunType::kCode && type != RunType::kAgent; }

// Volumes are those of the run's namespace: a name has no way to say another one.
void check_volume_name(const std::string& name, const std::string& field, Refusals& out) {
  if (contracts::is_dns_label(name)) return;
  out.add("VOLUME_NAME_INVALID", field,
          cat("\"", name,
              "\" must be a DNS label: lower-case letters, digits and '-', at most 63, no '-' at "
              "the ends"));
}

}  // namespace

void check_requirements(const RunSpec& spec, const FileNames* files, Refusals& out) {
  if (spec.requirements.empty()) return;
  if (!may_have_requirements(spec.type)) {
    return out.add("REQUIREMENTS_INVALID", "spec.requirements",
                   cat("a run of type ", wire::enum_name(spec.type),
                       " has no requirements; use type command, compute or test, or leave the "
                       "field out"));
  }
  if (!is_inner_path(spec.requirements) || spec.requirements.ends_with('/')) {
    out.add("REQUIREMENTS_INVALID", "spec.requirements",
            cat("\"", spec.requirements,
                "\" must be a relative path inside the workspace, without \"..\""));
  } else if (files != nullptr && !files->contains(spec.requirements)) {
    out.add("REQUIREMENTS_INVALID", "spec.requirements",
            cat("\"", spec.requirements,
                "\" is not a file of the workspace; name one that was uploaded"));
  }
}

void check_stdin_file(const RunSpec& spec, const FileNames* files, Refusals& out) {
  if (spec.stdin_file.empty()) return;
  const auto refuse = [&](std::string message) {
    out.add("STDIN_FILE_INVALID", "spec.stdinFile", std::move(message));
  };
  if (!may_have_stdin(spec.type))
    return refuse(cat("a run of type ", wire::enum_name(spec.type),
                      " has no file as its standard input; use type command"));
  if (!is_inner_path(spec.stdin_file) || spec.stdin_file.ends_with('/'))
    return refuse(cat("\"", spec.stdin_file,
                      "\" must be a relative path inside the workspace, without \"..\""));
  if (files != nullptr && !files->contains(spec.stdin_file))
    refuse(cat("\"", spec.stdin_file,
               "\" is not a file of the workspace; name one that was uploaded"));
}

void check_artifact_dirs(const RunSpec& spec, Refusals& out) {
  for (size_t i = 0; i < spec.artifacts.dirs.size(); ++i) {
    if (is_artifact_dir(spec.artifacts.dirs[i])) continue;
    out.add("ARTIFACT_DIR_INVALID", cat("spec.artifacts.dirs[", i, "]"),
            cat("\"", spec.artifacts.dirs[i],
                "\" must be a folder inside the workspace: relative, without \"..\"; \".\" is "
                "the workspace itself"));
  }
}

void check_workspace(const RunSpec& spec, Refusals& out) {
  const bool needs_none = spec.type == RunType::kCode || spec.type == RunType::kCommand;
  if (needs_none || !spec.workspace.empty()) return;
  out.add("WORKSPACE_REQUIRED", "spec.workspace",
          cat("a run of type ", wire::enum_name(spec.type),
              " needs a workspace that holds its script"));
}

void check_volumes(const RunSpec& spec, Refusals& out) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < spec.volumes.size(); ++i) {
    const std::string field = cat("spec.volumes[", i, "].name");
    check_volume_name(spec.volumes[i].name, field, out);
    if (names.insert(spec.volumes[i].name).second) continue;
    out.add("VOLUME_TWICE", field,
            cat("\"", spec.volumes[i].name, "\" is there already; a run sees one version of it"));
  }
}

void check_publish(const RunSpec& spec, Refusals& out) {
  if (spec.publish.empty()) return;
  check_volume_name(spec.publish, "spec.publish", out);
  if (!spec.artifacts.dirs.empty()) return;
  out.add("PUBLISH_WITHOUT_ARTIFACTS", "spec.publish",
          "only artifacts are published; name their folders in spec.artifacts.dirs");
}

void check_tool_bundle(const RunSpec& spec, Refusals& out) {
  if (!spec.tool_bundle || spec.type == RunType::kAgent) return;
  out.add("TOOL_BUNDLE_NOT_SUPPORTED", "spec.toolBundle",
          cat("a run of type ", wire::enum_name(spec.type),
              " does not support run-scoped MCP tool bundles; use type agent"));
}

}  // namespace paddock::admission
