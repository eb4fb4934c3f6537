#include "controller/api/handlers/runs/build_request.h"

#include <array>

namespace paddock::api {
namespace {

// Field of the Run, field of the request; what follows the first (a list's index) may be kept.
struct Renamed {
  std::string_view run;
  std::string_view build;
  bool keeps_rest;
};
constexpr std::array kRenamed = {Renamed{"spec.type", "build_type", false},
                                 Renamed{"spec.command", "compute_command", false},
                                 Renamed{"spec.requirements", "requirements", false},
                                 Renamed{"spec.workspace", "workspace", false},
                                 Renamed{"spec.artifacts.dirs", "artifact_dirs", true}};

}  // namespace

void BuildRequest::validate(wire::Check& check) const {
  const bool known = build_type == contracts::RunType::kCompute ||
                     build_type == contracts::RunType::kScript ||
                     build_type == contracts::RunType::kGradle;
  if (!known) check.fail("build_type", "must be gradle, script or compute");
  if (build_type == contracts::RunType::kCompute && trim(compute_command).empty())
    check.fail("compute_command", "compute command is required");
}

wire::Value run_document(const BuildRequest& request) {
  wire::Value::Object spec = {{"type", std::string(wire::enum_name(request.build_type))},
                              {"command", request.compute_command}};
  if (!request.workspace.empty()) spec.emplace_back("workspace", request.workspace);
  if (!request.requirements.empty()) spec.emplace_back("requirements", request.requirements);
  if (!request.artifact_dirs.empty()) {
    wire::Value::Array dirs;
    for (const std::string& each : request.artifact_dirs) dirs.emplace_back(each);
    spec.emplace_back("artifacts", wire::Value::Object{{"dirs", std::move(dirs)}});
  }
  wire::Value::Object metadata = {{"generateName", "build-"}};
  if (!request.container.empty()) {
    metadata.emplace_back("annotations",
                          wire::Value::Object{{kContainerAnnotation, request.container}});
  }
  return wire::Value::Object{{"apiVersion", contracts::kApiVersion},
                             {"kind", contracts::Run::kKind},
                             {"metadata", std::move(metadata)},
                             {"spec", std::move(spec)}};
}

std::string build_field(const std::string& run_field) {
  for (const Renamed& each : kRenamed) {
    if (!run_field.starts_with(each.run)) continue;
    return cat(each.build, each.keeps_rest ? run_field.substr(each.run.size()) : "");
  }
  return run_field;
}

}  // namespace paddock::api

PADDOCK_INSTANTIATE_CODEC(paddock::api::BuildRequest);
