#include "controller/api/objects/creates.h"

namespace paddock::api {

Result<CreateRequest> read_create(const Call& call) {
  CreateRequest create;
  ASSIGN_OR_RETURN(create.key, idempotency_key(call));
  ASSIGN_OR_RETURN(create.validation, field_validation(call.request));
  ASSIGN_OR_RETURN(create.dry_run, wants_dry_run(call.request, wire::Value()));
  create.manager = call.request.parameter("fieldManager").value_or("");
  TRY(k8s::check_manager(create.manager));
  return create;
}

Status write_new(Call& call, const CreateRequest& create, std::vector<store::NewObject> makes,
                 const std::function<Status(store::WriteTxn&)>& change) {
  store::Store& store = call.services.store;
  if (create.dry_run) return write_or_try(store, true, change);
  if (!create.key.scope.empty())
    makes.push_back({store::kIdempotencyKind, {create.key.scope, create.key.key}});
  return store.write_new(makes, change);
}

Status check_means_none(const wire::Value& document) {
  for (const char* field : {"metadata.uid", "metadata.resourceVersion"}) {
    if (document.text(field).empty()) continue;
    return Error{Code::kConflict,
                 "PRECONDITION_FAILED",
                 cat("the object that ", field, " means is not there; leave ", field,
                     " out to make a new one"),
                 {{field, "means an object that is not there"}}};
  }
  return {};
}

}  // namespace paddock::api
