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
