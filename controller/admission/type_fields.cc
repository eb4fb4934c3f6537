#include "controller/admission/type_fields.h"

#include <array>

#include "common/wire/json.h"

namespace paddock::admission {
namespace {

using contracts::RunSpec;
using contracts::RunType;
using FieldRefusals = std::vector<FieldRefusal>;

struct Given {
  const char* field;
  bool there;
};

void refuse_for_code(const Given& given, FieldRefusals& out) {
  if (!given.there) return;
  out.push_back({"FIELD_NOT_SUPPORTED", given.field,
                 cat("a run of type code is spec.code alone, without a command, a workspace or "
                     "what belongs to one; leave ",
                     given.field, " out, or use type compute")});
}

void check_input(const RunSpec& spec, FieldRefusals& out) {
  if (!spec.input_data) return;
  const size_t bytes = wire::to_json(*spec.input_data).size();
  if (bytes <= contracts::kMaxRunInputBytes) return;
  out.push_back({"INPUT_DATA_TOO_LARGE", "spec.inputData",
                 cat("has ", bytes, " bytes as JSON; at most ", contracts::kMaxRunInputBytes,
                     " travel with a run: upload more as files of a workspace, for a run of type "
                     "compute")});
}

void check_code(const RunSpec& spec, FieldRefusals& out) {
  if (spec.code.empty())
    out.push_back({"CODE_REQUIRED", "spec.code",
                   cat("a code run needs Python source of 1 to ", contracts::kMaxRunCodeBytes,
                       " bytes in spec.code")});
  check_input(spec, out);
  const std::array given = {Given{"spec.command", !spec.command.argv.empty()},
                            Given{"spec.workspace", !spec.workspace.empty()},
                            Given{"spec.workspaceRoot", !spec.workspace_root.empty()},
                            Given{"spec.artifacts.dirs", !spec.artifacts.dirs.empty()},
                            Given{"spec.publish", !spec.publish.empty()},
                            Given{"spec.volumes", !spec.volumes.empty()},
                            Given{"spec.toolToken", spec.tool_token.has_value()}};
  for (const Given& each : given) refuse_for_code(each, out);
}

void refuse_code(const RunSpec& spec, FieldRefusals& out) {
  const std::array given = {Given{"spec.code", !spec.code.empty()},
                            Given{"spec.inputData", spec.input_data.has_value()}};
  for (const Given& each : given) {
    if (!each.there) continue;
    out.push_back({"FIELD_NOT_SUPPORTED", each.field,
                   cat("a run of type ", wire::enum_name(spec.type), " has no ", each.field,
                       "; use type code, or put it into a file of the workspace")});
  }
}

// pytest reads options from these, which the rules for its command would never see.
void check_test_environment(const RunSpec& spec, FieldRefusals& out) {
  for (const char* name : {"PYTEST_ADDOPTS", "PYTEST_PLUGINS"}) {
    if (!spec.sandbox.env.contains(name)) continue;
    out.push_back({"ENV_NOT_ALLOWED", cat("spec.sandbox.env.", name),
                   cat(name,
                       " adds options to pytest; write them into spec.command, or into the "
                       "workspace's own configuration of pytest")});
  }
}

}  // namespace

FieldRefusals check_type_fields(const RunSpec& spec) {
  FieldRefusals out;
  if (spec.type == RunType::kCode) {
    check_code(spec, out);
  } else {
    refuse_code(spec, out);
  }
  if (spec.type == RunType::kTest) check_test_environment(spec, out);
  return out;
}

}  // namespace paddock::admission
