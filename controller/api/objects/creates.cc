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

}  // namespace paddock::api
