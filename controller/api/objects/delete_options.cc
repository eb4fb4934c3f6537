#include "controller/api/objects/delete_options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controller/api/server/documents.h"

namespace paddock::api {
namespace {

constexpr int64_t kLongestGrace = int64_t{365} * 86'400;

Error invalid(const char* name, std::string message) {
  return invalid_argument("PARAMETER_INVALID", std::move(message), name);
}

Status check_policy(const std::string& policy) {
  constexpr std::array<std::string_view, 4> kPolicies = {"", "Orphan", "Background", "Foreground"};
  if (std::ranges::find(kPolicies, policy) != kPolicies.end()) return {};
  return invalid("propagationPolicy", "propagationPolicy must be Orphan, Background or Foreground");
}

Status check_propagation(const Request& request, const wire::Value& body) {
  TRY(check_policy(request.parameter("propagationPolicy").value_or("")));
  const wire::Value* said = body.find("propagationPolicy");
  if (said == nullptr || said->is_null()) return {};
  return said->string() == nullptr ? check_policy("?") : check_policy(*said->string());
}

// A precondition that is not understood must not count as one that was not given.
Status read_preconditions(const wire::Value& body, DeleteOptions& out) {
  if (!body.is_null() && body.object() == nullptr)
    return invalid("body", "the body of a DELETE is DeleteOptions, an object");
  const wire::Value* said = body.find("preconditions");
  if (said == nullptr || said->is_null()) return {};
  if (said->object() == nullptr)
    return invalid("preconditions", "preconditions is an object with uid or resourceVersion");
  for (const auto& [name, to] :
       {std::pair{"uid", &out.uid}, std::pair{"resourceVersion", &out.resource_version}}) {
    const wire::Value* each = said->find(name);
    if (each == nullptr || each->is_null()) continue;
    if (each->string() == nullptr)
      return invalid("preconditions", "uid and resourceVersion in preconditions are strings");
    *to = *each->string();
  }
  return {};
}

}  // namespace

Status check_preconditions(const DeleteOptions& options, const contracts::ObjectMeta& meta) {
  const std::string& version = options.resource_version;
  if ((options.uid.empty() || options.uid == meta.uid) &&
      (version.empty() || version == meta.resource_version))
    return {};
  return Error{Code::kConflict, "PRECONDITION_FAILED",
               "the object is not the one that the request means any more; read it again"};
}

std::vector<std::string> warnings_of(const Removal& removal) {
  if (!removal.unread) return {};
  return {
      "it could not be read by this version: the record is removed whatever held it, and nobody "
      "waited for its node"};
}

Result<DeleteOptions> read_delete_options(const Request& request, const wire::Value& body) {
  DeleteOptions out;
  TRY(read_preconditions(body, out));
  ASSIGN_OR_RETURN(out.dry_run, wants_dry_run(request, body));
  TRY(check_propagation(request, body));
  ASSIGN_OR_RETURN(out.grace_seconds,
                   integer_parameter(request, "gracePeriodSeconds", 0, kLongestGrace));
  const wire::Value* said = body.find("gracePeriodSeconds");
  if (said == nullptr || said->is_null()) return out;
  if (said->integer() == nullptr || *said->integer() < 0 || *said->integer() > kLongestGrace)
    return invalid("gracePeriodSeconds",
                   cat("gracePeriodSeconds must be a whole number from 0 to ", kLongestGrace));
  out.grace_seconds = *said->integer();
  return out;
}

}  // namespace paddock::api
