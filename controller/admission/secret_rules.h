// Checks what a run says of the secrets that it wants, before anybody looks whether they exist.
// Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/admission/type_fields.h"

namespace paddock::admission {

// SECRET_TWICE, ENV_NOT_ALLOWED. `fixed_environment`: the run's variables are exactly the
// profile's.
std::vector<FieldRefusal> check_secret_uses(const contracts::RunSpec& spec, bool fixed_environment,
                                            const std::map<std::string, std::string>& environment);

}  // namespace paddock::admission
