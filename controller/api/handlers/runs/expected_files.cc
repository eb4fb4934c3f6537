#include "controller/api/handlers/runs/expected_files.h"

#include <utility>

#include "common/base/fault_sentence.h"
#include "common/base/text.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/handlers/runs/runs.h"
#include "controller/api/handlers/runs/tool_bundles.h"
#include "controller/api/objects/creates.h"
#include "controller/reconciler/reconciler.h"

namespace paddock::api {
namespace {

using contracts::Run;

// Checks the run as if these files were its workspace. The names of its workspace stay in the
// answer.
Status admit_as_planned(Services& services, Run& run, const ExpectedFiles& files) {
  const std::string workspace = std::exchange(run.spec.workspace, {});
  const std::string root = std::exchange(run.spec.workspace_root, {});
  TRY(admit_planned(services, run, files.get()));
  run.spec.workspace = workspace;
  run.spec.workspace_root = root;
  return {};
}

}  // namespace

Result<ExpectedFiles> take_expected_files(wire::Value& body) {
  ExpectedFiles files;
  const wire::Value* tree = body.find("tree");
  if (tree == nullptr) return files;
  files.given = true;
  if (!tree->is_null()) {
    auto decoded = wire::decode<contracts::Tree>(*tree);
    if (!decoded.ok()) {
      Error error = decoded.error();
      rename_fields(error, [](const std::string& field) { return cat("tree.", field); });
      return error;
    }
    files.tree = std::move(*decoded);
  }
  body.erase("tree");
  return files;
}

Result<Response> try_run(Call& call) {
  ASSIGN_OR_RETURN(const ExpectedFiles files, take_expected_files(call.body));
  ASSIGN_OR_RETURN(CreateRequest create, read_create(call));
  create.key = {};  // nothing is made that a key could name
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(Run run, new_object<Run>(call, create, call.body, warnings));
  TRY(KindTraits<Run>::check_maker(call.principal, run));
  TRY(admit_as_planned(call.services, run, files));
  show_summary_only(run);
  ASSIGN_OR_RETURN(const auto room, KindTraits<Run>::reserve_queue(call.services, run));
  Run tried;
  TRY(store_new(call, create, run, tried));
  Response response = object_response(tried);
  response.status = 201;
  add_warnings(response, warnings);
  return response;
}

}  // namespace paddock::api
