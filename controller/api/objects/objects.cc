#include "controller/api/objects/objects.h"

namespace paddock::api {

namespace {

Error no_options(const char* field, const char* message) {
  return invalid_argument("PARAMETER_INVALID", message, field);
}

// What is not understood must not be taken for what is not asked.
Status check_options(const wire::Value& options) {
  if (options.is_null()) return {};
  if (options.object() == nullptr)
    return no_options("body", "the body of a DELETE is DeleteOptions, an object");
  const wire::Value* said = options.find("preconditions");
  if (said == nullptr || said->is_null()) return {};
  if (said->object() == nullptr)
    return no_options("preconditions", "preconditions is an object with uid or resourceVersion");
  for (const char* name : {"uid", "resourceVersion"}) {
    const wire::Value* each = said->find(name);
    if (each != nullptr && !each->is_null() && each->string() == nullptr)
      return no_options("preconditions", "uid and resourceVersion in preconditions are strings");
  }
  return {};
}

}  // namespace

Status check_preconditions(const wire::Value& options, const contracts::ObjectMeta& meta) {
  TRY(check_options(options));
  const std::string uid = options.text("preconditions.uid");
  const std::string version = options.text("preconditions.resourceVersion");
  if ((uid.empty() || uid == meta.uid) && (version.empty() || version == meta.resource_version))
    return {};
  return Error{Code::kConflict, "PRECONDITION_FAILED",
               "the object is not the one that the request means any more; read it again"};
}

}  // namespace paddock::api
