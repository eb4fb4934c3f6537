#include "controller/api/handlers/objects.h"

namespace paddock::api {

Status check_preconditions(const wire::Value& options, const contracts::ObjectMeta& meta) {
  const std::string uid = options.text("preconditions.uid");
  const std::string version = options.text("preconditions.resourceVersion");
  if ((uid.empty() || uid == meta.uid) && (version.empty() || version == meta.resource_version))
    return {};
  return Error{Code::kConflict, "PRECONDITION_FAILED",
               "the object is not the one that the request means any more; read it again"};
}

}  // namespace paddock::api
