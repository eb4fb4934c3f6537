#include "controller/api/handlers/e2b/user.h"

#include "common/base/text.h"
#include "controller/e2b/fields.h"

namespace paddock::api {

Status check_e2b_user(const Request& request) {
  constexpr std::string_view kBasic = "basic ";
  std::string name = request.parameter("username").value_or("");
  const std::string header = request.header("authorization");
  if (ascii_lower(header).starts_with(kBasic)) {
    name = decode_base64(trim(std::string_view(header).substr(kBasic.size()))).value_or("?");
    if (name.ends_with(':')) name.pop_back();
  }
  if (name.empty() || name == "user") return {};
  return e2b::not_served("user", "a sandbox has one user, and no root: leave it out");
}

}  // namespace paddock::api
