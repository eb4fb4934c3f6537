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

Error not_creatable(const k8s::Resource& resource) {
  const bool node = resource.kind == contracts::Node::kKind;
  return {Code::kNotFound, node ? "NODE_NOT_FOUND" : "VOLUME_NOT_FOUND",
          cat("there is no such ", resource.singular, "; ",
              node ? "nodes come into being when their agents enrol"
                   : "volumes come into being when runs publish them")};
}

}  // namespace paddock::api
