#include "controller/api/objects/delete_options.h"

#include <algorithm>
#include <array>

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

}  // namespace

Result<DeleteOptions> read_delete_options(const Request& request, const wire::Value& body) {
  DeleteOptions out;
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
