#include "controller/api/handlers/runs/run_admission.h"

#include <tuple>

#include "common/cas/blobs.h"
#include "controller/api/handlers/access/grants.h"
#include "controller/api/handlers/runs/arrays.h"
#include "controller/api/handlers/runs/run_requirements.h"
#include "controller/api/handlers/secrets/run_secrets.h"
#include "controller/nodes/node_sizes.h"
#include "controller/projects/files.h"
#include "controller/store/grant_reads.h"
#include "controller/volumes/resolve.h"
#include "controller/workspaces/shown_blobs.h"
#include "controller/workspaces/trees.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::Workspace;

Error workspace_error(Reason reason, const std::string& message) {
  return {Code::kFailedPrecondition, reason, message, {{"spec.workspace", message}}};
}

// The run was meant for the files that its caller uploaded, not for what another has put there
// since.
Status check_meant(const Run& run, const std::string& root) {
  if (run.spec.workspace_root.empty() || run.spec.workspace_root == root) return {};
  const std::string message = cat(
      "workspace ", run.spec.workspace,
      " holds other files than those with this digest; upload them again and create the run then");
  return Error{Code::kConflict, "WORKSPACE_CHANGED", message, {{"spec.workspaceRoot", message}}};
}

Status check_root_of_none(const Run& run) {
  if (run.spec.workspace_root.empty()) return {};
  return invalid_argument("INVALID_FIELD", "a run without a workspace has no root; leave it out",
                          "spec.workspaceRoot");
}

}  // namespace

RunAdmission::RunAdmission(const Services& services, store::ReadTxn& txn)
    : services_(services), txn_(txn), context_{services.ceilings, services.profiles, {}} {}

Status RunAdmission::admit(Run& run, const contracts::MediaExecution& media) {
  TRY(check_array_metadata(run));
  TRY(check_element_names(txn_, run));
  context_.tree = nullptr;
  context_.files = nullptr;
  context_.files_later = files_later_ && run.spec.workspace.empty();
  if (context_.files_later) context_.tree = expected_;
  TRY(run.spec.workspace.empty() ? check_root_of_none(run) : take_files(run));
  ASSIGN_OR_RETURN(context_.largest,
                   nodes::largest_limits(txn_, services_.profiles, run.spec.sandbox.limits));
  ASSIGN_OR_RETURN(admission::AdmittedRun admitted, admission::admit(run.spec, media, context_));
  TRY(check_requirements(run.metadata.name_space, admitted.spec));
  TRY(pin_volumes(run));
  TRY(wanted_values(txn_, run));
  run.spec = std::move(admitted.spec);
  run.spec.cancel_requested = false;
  run.status.policy = std::move(admitted.policy);
  run.status.environment = std::move(admitted.environment);
  return pin_grants(run);
}

// The tree of a stored workspace has only files of its namespace. A plan may bring a tree with any
// digest in it, so only files that the namespace has shown are read (workspaces/shown_blobs.h). All
// others count as not sent yet, even if another namespace has sent them.
Status RunAdmission::check_requirements(const std::string& name_space,
                                        const contracts::RunSpec& spec) const {
  if (spec.requirements.empty() || context_.tree == nullptr) return {};
  const auto read = [&](const contracts::Digest& digest, size_t most) -> Result<std::string> {
    if (context_.files_later && !services_.shown_blobs->has(name_space, digest))
      return Error{Code::kNotFound, "BLOB_NOT_FOUND", "this file was not sent yet"};
    return services_.blobs.read(digest, most);
  };
  return check_requirements_file(spec.requirements, *context_.tree, read);
}

// The tree that the run's workspace has now.
Status RunAdmission::take_files(Run& run) {
  const store::Key key{run.metadata.name_space, run.spec.workspace};
  const bool known = files_ && std::tie(files_->workspace.name_space, files_->workspace.name) ==
                                   std::tie(key.name_space, key.name);
  if (!known) TRY(read_files(key));
  TRY(check_meant(run, files_->root));
  run.status.workspace_root = files_->root;
  if (files_->entry)
    run.status.preview_url = {projects::raw_url(key.name_space, key.name, *files_->entry)};
  context_.tree = &files_->tree;
  context_.files = &files_->names;
  return {};
}

Status RunAdmission::read_files(const store::Key& workspace) {
  files_.reset();
  ASSIGN_OR_RETURN(const auto found, txn_.find<Workspace>(workspace));
  if (!found)
    return workspace_error("WORKSPACE_NOT_FOUND", cat("there is no workspace ", workspace.name,
                                                      " in this namespace; create it first"));
  if (found->status.root.empty()) {
    return workspace_error("WORKSPACE_EMPTY", cat("workspace ", workspace.name,
                                                  " has no files yet; upload its tree first"));
  }
  Files files{workspace, found->status.root};
  ASSIGN_OR_RETURN(files.tree, workspaces::stored_tree(services_.blobs, files.root));
  files.names = admission::FileNames(files.tree);
  files.entry = projects::entry_file(files.tree);
  files_ = std::move(files);
  return {};
}

Status RunAdmission::pin_volumes(Run& run) {
  TRY(volumes::check_room(txn_, run, services_.volumes));
  ASSIGN_OR_RETURN(run.status.volumes, volumes::resolve(txn_, run));
  return {};
}

Status RunAdmission::pin_grants(Run& run) {
  if (!grants_ || granted_ != run.metadata.name_space) {
    granted_ = run.metadata.name_space;
    ASSIGN_OR_RETURN(grants_, store::grants_in(txn_, granted_));
  }
  return api::pin_grants(txn_, *grants_, run, services_.clock.wall());
}

}  // namespace paddock::api
