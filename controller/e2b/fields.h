// The fields of a request for a new sandbox, and refusals of fields. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/base/units.h"
#include "common/contracts/sandbox_policy.h"
#include "common/wire/value.h"

namespace paddock::e2b {

// The way in which E2B's tools write "every address".
inline constexpr const char* kAllTraffic = "0.0.0.0/0";

Error wrong_field(std::string_view field, std::string message);
Error wrong_parameter(std::string_view name, std::string_view message);
Error not_served(std::string_view field, std::string message);

struct NewSandbox {
  std::string template_id;
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::string> env;
  std::optional<Millis> timeout;
  std::optional<contracts::NetworkPolicy> network;  // absent: the template's
};
// InvalidArgument (INVALID_FIELD); FailedPrecondition (E2B_NOT_SERVED) for a field that asks for
// something that a session does not have, by its name.
Result<NewSandbox> read_new_sandbox(const wire::Value& request);

}  // namespace paddock::e2b
